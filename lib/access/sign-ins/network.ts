/**
 * Whom an address stands for when failures are counted: IPv4 as it is, of IPv6 the first half, because whoever has one
 * address of a network has 2^64 of them. Text that is no address stands for itself.
 * @param address as a socket or a proxy writes it: with port, zone and brackets, in any form
 */
export function networkOf(address: string): string {
  const groups = groupsOf(plainAddress(address))
  return groups ? `${groups.slice(0, 4).join(':')}::/64` : plainAddress(address)
}

/** An address in its one form, as people read it: without port, zone and brackets; IPv4 in IPv6 as IPv4. */
export function plainAddress(address: string): string {
  const given = address.trim().slice(0, 100)
  const bare = /^\[([^\]]*)\](:\d+)?$/.exec(given)?.[1] ?? /^([\d.]+):\d+$/.exec(given)?.[1] ?? given
  const text = bare.replace(/%.*$/, '').toLowerCase()
  if (!text.includes(':')) return text
  const url = `http://[${text}]/`
  if (!URL.canParse(url)) return text
  const short = new URL(url).hostname.slice(1, -1)
  return mapped(short) ?? short
}

/** ::ffff:c000:201 is 192.0.2.1. */
function mapped(short: string): string | undefined {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short) ?? []
  if (high === undefined || low === undefined) return undefined
  const numbers = [high, low].map((group) => Number.parseInt(group, 16))
  return numbers.flatMap((number) => [number >> 8, number & 255]).join('.')
}

/** The eight groups of an IPv6 address in its short form; undefined for any other text. */
function groupsOf(short: string): string[] | undefined {
  if (!/^[\da-f:]+$/.test(short) || !short.includes(':')) return undefined
  const [before = '', after] = short.split('::')
  const [head, tail] = [before, after ?? ''].map((part) => part.split(':').filter(Boolean)) as [
    string[],
    string[],
  ]
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length
  const groups = [...head, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...tail]
  return groups.length === 8 ? groups : undefined
}
