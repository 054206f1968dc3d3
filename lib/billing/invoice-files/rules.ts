/** Kinds of an invoice's documents: the issuer's, drawn by us, or our first drawing before a correction. */
export const FILE_KINDS = ['original-pdf', 'original-xml', 'drawn', 'superseded'] as const
export type FileKind = (typeof FILE_KINDS)[number]
/** Documents that a caller can read: also a copy of our PDF with the payments until now, which is never stored. */
export const READABLE_KINDS = [...FILE_KINDS, 'copy'] as const
export type ReadableKind = (typeof READABLE_KINDS)[number]
/** The issuer's own. */
export type IssuerDocumentKind = Exclude<FileKind, 'drawn' | 'superseded'>

/**
 * Kind of a stored document. `drawn` is our first drawing, and never overwritten; `redrawn` replaces it where the first
 * was wrong.
 */
export type StoredKind = IssuerDocumentKind | 'drawn' | 'redrawn'

/** Media type of each kind. */
export const MEDIA_TYPES: Record<ReadableKind, 'application/pdf' | 'application/xml'> = {
  drawn: 'application/pdf',
  copy: 'application/pdf',
  superseded: 'application/pdf',
  'original-pdf': 'application/pdf',
  'original-xml': 'application/xml',
}
export const EXTENSIONS: Record<ReadableKind, 'pdf' | 'xml'> = {
  drawn: 'pdf',
  copy: 'pdf',
  superseded: 'pdf',
  'original-pdf': 'pdf',
  'original-xml': 'xml',
}

/** Media type of a file that browsers must not open. */
export const BYTES = 'application/octet-stream'
