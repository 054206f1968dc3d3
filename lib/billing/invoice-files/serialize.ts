import { fileName } from '#lib/platform/files/attachment.ts'
import { EXTENSIONS, FILE_KINDS, MEDIA_TYPES, type ReadableKind } from './rules.ts'
import type { StoredFile } from './store.ts'

/**
 * Returns the file name of a document: the original name of the issuer's document, or the id of the invoice for ours.
 * The extension follows from the content: another one could make a computer execute it.
 */
export function savedName(invoiceId: string, kind: ReadableKind, name?: string | null): string {
  const extension = `.${EXTENSIONS[kind]}`
  if (kind === 'copy') return `${fileName(`${invoiceId} (payments)`)}${extension}`
  if (kind === 'superseded') return `${fileName(`${invoiceId} (before)`)}${extension}`
  if (!name?.toLowerCase().endsWith(extension)) return fileName(name ?? invoiceId) + extension
  return fileName(name.slice(0, -extension.length)) + extension
}

/**
 * The documents of an invoice, the issuer's own first. Ours is always among them: it is drawn when it is asked for.
 * @param url where the invoice's file is, of whatever kind
 */
export function serializeFiles(invoiceId: string, storedFiles: readonly StoredFile[], url: string) {
  return FILE_KINDS.flatMap((kind) => {
    const file = storedFiles.find((one) => one.kind === kind)
    if (!file && kind !== 'drawn') return []
    return [
      {
        kind,
        name: savedName(invoiceId, kind, file?.name),
        mediaType: MEDIA_TYPES[kind],
        ...(file ? { bytes: file.size, digest: file.digest } : {}),
        url: `${url}?kind=${kind}`,
      },
    ]
  })
}
