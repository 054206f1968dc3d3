/** What a document of an invoice is: the issuer's own, or drawn by us. */
export const FILE_KINDS = ['original-pdf', 'original-xml', 'drawn'] as const
export type FileKind = (typeof FILE_KINDS)[number]
/** The issuer's own. */
export type IssuerDocumentKind = Exclude<FileKind, 'drawn'>

/** What the bytes of each kind are. */
export const MEDIA_TYPES: Record<FileKind, 'application/pdf' | 'application/xml'> = {
  drawn: 'application/pdf',
  'original-pdf': 'application/pdf',
  'original-xml': 'application/xml',
}
export const EXTENSIONS: Record<FileKind, 'pdf' | 'xml'> = {
  drawn: 'pdf',
  'original-pdf': 'pdf',
  'original-xml': 'xml',
}

/** How a file is sent that no browser may open. */
export const BYTES = 'application/octet-stream'
