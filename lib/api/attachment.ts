// What file systems forbid, what separates folders, and what shows a name as another one.
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu

/** A name that every file system takes and that names no folder: `IN/1` is `IN-1`. Never empty. */
export function fileName(text: string): string {
  const name = text
    .normalize('NFC')
    .replace(UNSAFE, '-')
    .replace(/^[. ]+|[. ]+$/g, '')
  return Array.from(name).slice(0, 100).join('') || 'file'
}

/**
 * The headers of a download: saved, not shown, and not kept by anybody on the way (PROMISES 2.7).
 * @param name with its extension, as `fileName` makes it
 */
export function attachment(name: string, mediaType: string): Record<string, string> {
  const plain = name.replace(/[^\w.-]+/g, '-')
  // RFC 8187: of what encodeURIComponent leaves alone, these are no attr-char.
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return {
    'Content-Type': mediaType,
    'Content-Disposition': `attachment; filename="${plain}"; filename*=UTF-8''${exact}`,
    'Cache-Control': 'no-store',
  }
}
