/** What a document of an invoice is: the issuer's own, drawn by us, or what we drew before we drew it again. */
export const FILE_KINDS = ['original-pdf', 'original-xml', 'drawn', 'superseded'] as const
export type FileKind = (typeof FILE_KINDS)[number]
/** The issuer's own. */
export type IssuerDocumentKind = Exclude<FileKind, 'drawn' | 'superseded'>

/**
 * What a stored document is. `drawn` is the first that we drew, and never written over; `redrawn` came into its place where
 * the first was wrong.
 */
export type StoredKind = IssuerDocumentKind | 'drawn' | 'redrawn'

/** What the bytes of each kind are. */
export const MEDIA_TYPES: Record<FileKind, 'application/pdf' | 'application/xml'> = {
  drawn: 'application/pdf',
  superseded: 'application/pdf',
  'original-pdf': 'application/pdf',
  'original-xml': 'application/xml',
}
export const EXTENSIONS: Record<FileKind, 'pdf' | 'xml'> = {
  drawn: 'pdf',
  superseded: 'pdf',
  'original-pdf': 'pdf',
  'original-xml': 'xml',
}

/** How a file is sent that no browser may open. */
export const BYTES = 'application/octet-stream'
