/** Values of an invoice that a template may contain, in braces. */
export const PLACEHOLDERS = ['number', 'amount', 'currency', 'dueDate'] as const
type Placeholder = (typeof PLACEHOLDERS)[number]

export const MAX_TEMPLATE_LENGTH = 500

const BRACES = /\{([^{}]*)\}/g
/** Scheme and authority of an address. */
const ORIGIN = /^https:\/\/[^/?#]+/

/**
 * Checks the template of a payment address: https, printable ASCII, without a login, and with known placeholders behind
 * the host only: a value in the host could change the host.
 * @returns the error, as in `must begin with https://`; undefined for a valid template
 */
export function paymentUrlError(template: string): string | undefined {
  if (template.length > MAX_TEMPLATE_LENGTH) return `must have at most ${MAX_TEMPLATE_LENGTH} characters`
  // A browser reads a backslash as a slash.
  if (!/^[\x21-\x7e]+$/.test(template) || template.includes('\\'))
    return 'must be printable ASCII without spaces'
  const [origin] = ORIGIN.exec(template) ?? []
  if (origin === undefined) return 'must begin with https://'
  if (/[{}@]/.test(origin)) return 'must have no placeholder and no login in its host'
  const names = [...template.matchAll(BRACES)].map(([, name = '']) => name)
  const unknown = names.find((name) => !(PLACEHOLDERS as readonly string[]).includes(name))
  if (unknown !== undefined || /[{}]/.test(template.replaceAll(BRACES, '')))
    return `must have these placeholders only: ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`
  return URL.canParse(template.replaceAll(BRACES, 'x')) ? undefined : 'is not an address'
}

/**
 * Returns the address where an invoice is paid, with percent-encoded values.
 * @returns undefined where the template is invalid, or a value such as `..` would lead to another path
 */
export function paymentUrlOf(template: string, values: Record<Placeholder, string>): string | undefined {
  if (paymentUrlError(template) !== undefined) return undefined
  const fill = (read: (name: Placeholder) => string) =>
    new URL(template.replaceAll(BRACES, (_, name: Placeholder) => encoded(read(name))))
  const [url, sample] = [fill((name) => values[name]), fill(() => 'x')]
  const depthOf = ({ pathname }: URL) => pathname.split('/').length
  return url.origin === sample.origin && depthOf(url) === depthOf(sample) ? url.href : undefined
}

/** Encodes a value, including the characters that `encodeURIComponent` leaves. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
