import 'server-only'
import { isIPv4, isIPv6, SocketAddress } from 'node:net'

const MAPPED = '::ffff:'

/**
 * The one form of an address: without port, zone and brackets, and an IPv4 address that is written as IPv6 as what it
 * is. Empty where the text is no address.
 */
export function canonicalAddress(text: string): string {
  const bare = withoutPort(text.trim())
  if (isIPv4(bare)) return bare
  const [address = ''] = bare.split('%')
  if (!isIPv6(address)) return ''
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = canonical.slice(MAPPED.length)
  return canonical.startsWith(MAPPED) && isIPv4(mapped) ? mapped : canonical
}

/** `192.0.2.1:80`, `[2001:db8::1]:80` and `[2001:db8::1]` without what is not of the address. */
function withoutPort(text: string): string {
  const inBrackets = /^\[([^\]]*)\](:\d+)?$/.exec(text)
  if (inBrackets) return inBrackets[1] ?? ''
  return /^[\d.]+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text
}

/**
 * What stands for one client: an IPv4 address, or the /64 of an IPv6 address, of which each client has at least one.
 * @param address as `canonicalAddress` writes it
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [before = '', after] = address.split('::')
  const head = before === '' ? [] : before.split(':')
  if (after === undefined) return `${head.slice(0, 4).join(':')}::/64`
  // An IPv4 address at its end stands for two groups.
  const tail =
    after === '' ? [] : after.split(':').flatMap((group) => (group.includes('.') ? [group, group] : group))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}
