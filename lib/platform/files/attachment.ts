import contentDisposition from 'content-disposition'

// Characters that file systems forbid, path separators, and characters that disguise a name.
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu

// DOS device names: Windows can't save such a file, whatever its extension.
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i
/** Longest name in bytes of UTF-8: file systems allow 255, with the extension. */
const MAX_NAME_LENGTH = 200

/** Returns a file name that is valid on every file system and contains no path: `IN-1` for `IN/1`. Never empty. */
export function fileName(text: string): string {
  const safe = text.toWellFormed().normalize('NFC').replace(UNSAFE, '-').replace(DEVICE, '$1-')
  let name = ''
  let size = 0
  for (const char of safe.replace(/^[. ]+/, '')) {
    size += Buffer.byteLength(char)
    if (size > MAX_NAME_LENGTH) break
    name += char
  }
  return name.replace(/[. ]+$/, '') || 'file'
}

/**
 * Returns the headers of a download: saved instead of shown, and not cached (PROMISES 2.7).
 * @param name file name with extension, as `fileName` returns it
 */
export function attachment(name: string, mediaType: string): Record<string, string> {
  const fallback = name.replace(/[^\w.-]+/g, '-')
  // Since its version 2 the package omits quotes, which some clients expect.
  return {
    'Content-Type': mediaType,
    'Content-Disposition': contentDisposition(name, { fallback }),
    'Cache-Control': 'no-store',
  }
}

/** Returns the base name of a file with current data: `invoices-2026-11-20`, by the UTC day. */
export function dated(name: string): string {
  return downloadName(name, {})
}

/**
 * Returns the base name of a file: with its requested days, both inclusive as `YYYY-MM-DD`, or with the current UTC day
 * if it has no bound.
 */
export function downloadName(
  name: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): string {
  if (from && to) return from === to ? `${name}-of-${from}` : `${name}-${from}-to-${to}`
  if (from) return `${name}-from-${from}`
  return to ? `${name}-until-${to}` : `${name}-${new Date().toISOString().slice(0, 10)}`
}
