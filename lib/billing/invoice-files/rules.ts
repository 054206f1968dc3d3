/** Kinds of an invoice's documents: the issuer's, drawn by us, or our first drawing before a correction. */
export const FILE_KINDS = ['original-pdf', 'original-xml', 'drawn', 'superseded'] as const
export type FileKind = (typeof FILE_KINDS)[number]
/** The issuer's own. */
export type IssuerDocumentKind = Exclude<FileKind, 'drawn' | 'superseded'>

/**
 * Kind of a stored document. `drawn` is our first drawing, and never overwritten; `redrawn` replaces it where the first
 * was wrong.
 */
export type StoredKind = IssuerDocumentKind | 'drawn' | 'redrawn'

/** Media type of each kind. */
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

/** Media type of a file that browsers must not open. */
export const BYTES = 'application/octet-stream'
