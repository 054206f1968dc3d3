import contentDisposition from 'content-disposition'

// What file systems forbid, what separates folders, and what shows a name as another one.
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu

// Of old, devices: a file of such a name can't be saved on Windows, whatever its extension.
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i
/** In bytes of UTF-8: file systems take 255, with the extension. */
const MAX_NAME_LENGTH = 200

/** A name that every file system takes and that names no folder: `IN/1` is `IN-1`. Never empty. */
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
 * The headers of a download: saved, not shown, and not kept by anybody on the way (PROMISES 2.7).
 * @param name with its extension, as `fileName` makes it
 */
export function attachment(name: string, mediaType: string): Record<string, string> {
  const fallback = name.replace(/[^\w.-]+/g, '-')
  // Since its version 2 the package leaves out quotes, which some clients look for.
  return {
    'Content-Type': mediaType,
    'Content-Disposition': contentDisposition(name, { fallback }),
    'Cache-Control': 'no-store',
  }
}

/** The name of a file of today's data, without its extension: `invoices-2026-11-20`, by the day in UTC. */
export function dated(name: string): string {
  return named(name, {})
}

/**
 * The name of a file without its extension: with the days that it was asked for, both inclusive as `YYYY-MM-DD`, or with
 * today's, in UTC, where it has no bound.
 */
export function named(
  name: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): string {
  if (from && to) return from === to ? `${name}-of-${from}` : `${name}-${from}-to-${to}`
  if (from) return `${name}-from-${from}`
  return to ? `${name}-until-${to}` : `${name}-${new Date().toISOString().slice(0, 10)}`
}
