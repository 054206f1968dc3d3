// Parses a mail as mail programs do, as far as the product's mails need: RFC 5322 headers, RFC 2047 words, MIME parts.

export type Mail = {
  /** Sender of the envelope. */
  from: string
  to: string[]
  /** Headers by name in lower case, unfolded and decoded. */
  headers: Record<string, string>
  text: string
  html: string
  /** The message as received. */
  raw: string
}

export function readMail(from: string, to: string[], raw: string): Mail {
  const { headers, body } = splitHeaders(raw)
  const parts = partsOf(headers, body)
  const part = (type: string) => parts.find((one) => one.type === type)?.content ?? ''
  return { from, to, headers, text: part('text/plain'), html: part('text/html'), raw }
}

function splitHeaders(raw: string): { headers: Record<string, string>; body: string } {
  const cut = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, cut)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), decodeEncoded(line.slice(colon + 1).trim())]
  })
  return { headers: Object.fromEntries(headers), body: raw.slice(cut + 4) }
}

type MimePart = { type: string; content: string }

function partsOf(headers: Record<string, string>, body: string): MimePart[] {
  const kind = headers['content-type'] ?? 'text/plain'
  const boundary = /boundary="?([^";]+)"?/.exec(kind)?.[1]
  if (boundary)
    return body
      .split(`--${boundary}`)
      .slice(1, -1)
      .flatMap((part) => {
        const inner = splitHeaders(part.replace(/^\r\n/, ''))
        return partsOf(inner.headers, inner.body.replace(/\r\n$/, ''))
      })
  const encoding = headers['content-transfer-encoding']?.toLowerCase()
  const content = decoded(body, encoding).replaceAll('\r\n', '\n')
  return [{ type: kind.split(';')[0]?.trim() ?? '', content }]
}

function decoded(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  return encoding === 'quoted-printable' ? quotedPrintable(body.replace(/=\r\n/g, '')) : body
}

function quotedPrintable(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

function decodeEncoded(value: string): string {
  const joined = value.replace(/\?=\s+=\?/g, '?==?')
  return joined.replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, how: string, text: string) =>
    how.toLowerCase() === 'b'
      ? Buffer.from(text, 'base64').toString()
      : quotedPrintable(text.replaceAll('_', ' ')),
  )
}
