import 'server-only'
import { isIPv4, isIPv6, SocketAddress } from 'node:net'

const MAPPED = '::ffff:'

/**
 * Returns the canonical form of an address: without port, zone and brackets; an IPv4-mapped IPv6 address as IPv4. Empty
 * for any other text.
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

/** Removes port and brackets: `192.0.2.1:80`, `[2001:db8::1]:80` and `[2001:db8::1]`. */
function withoutPort(text: string): string {
  const inBrackets = /^\[([^\]]*)\](:\d+)?$/.exec(text)
  if (inBrackets) return inBrackets[1] ?? ''
  return /^[\d.]+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text
}

/**
 * Returns the network that identifies one client: an IPv4 address, or the /64 of an IPv6 address, of which each client
 * has at least one.
 * @param address as `canonicalAddress` returns it
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [before = '', after] = address.split('::')
  const leading = before === '' ? [] : before.split(':')
  if (after === undefined) return `${leading.slice(0, 4).join(':')}::/64`
  // An IPv4 address at the end is two groups.
  const tail =
    after === '' ? [] : after.split(':').flatMap((group) => (group.includes('.') ? [group, group] : group))
  const zeros = Array<string>(8 - leading.length - tail.length).fill('0')
  return `${[...leading, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}

/** Address, or a network's prefix, as a number of `width` bits. */
type Bits = { value: bigint; width: 32 | 128 }

/**
 * Returns the canonical form of a network: `192.0.2.0/24`, `2001:db8::/32`. A single address is a network, bits after
 * the prefix are zero, and IPv4-mapped IPv6 becomes IPv4. Undefined for any other text.
 */
export function canonicalRange(text: string): string | undefined {
  const [, address = '', prefixText] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? []
  const canonical = canonicalAddress(address)
  // A network has no port.
  if (canonical === '' || /[%[\]]|^\d+\.[\d.]*:/.test(address)) return undefined
  const bits = bitsOf(canonical)
  const mapped = bits.width === 32 && address.includes(':') ? 96 : 0
  const prefix = prefixText === undefined ? bits.width : Number(prefixText) - mapped
  if (prefix < 0 || prefix > bits.width) return undefined
  const behind = BigInt(bits.width - prefix)
  return `${textOf({ ...bits, value: (bits.value >> behind) << behind })}/${prefix}`
}

/**
 * Returns whether an address is in one of the networks.
 * @param address as `canonicalAddress` returns it; an empty, unknown address is in no network
 * @param ranges as `canonicalRange` returns them
 */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  if (address === '') return false
  const { value, width } = bitsOf(address)
  return ranges.some((range) => {
    const [network = '', prefix] = range.split('/')
    const start = bitsOf(network)
    const behind = BigInt(width - Number(prefix))
    return start.width === width && start.value >> behind === value >> behind
  })
}

function bitsOf(address: string): Bits {
  if (isIPv4(address)) return { value: joined(address.split('.').map(Number), 8n), width: 32 }
  const [before = '', after] = address.split('::')
  const leading = groupsOf(before)
  const tail = after === undefined ? [] : groupsOf(after)
  const zeros = Array<number>(8 - leading.length - tail.length).fill(0)
  return { value: joined([...leading, ...zeros, ...tail], 16n), width: 128 }
}

/** Returns the 16-bit groups of an IPv6 address; an IPv4 address at the end is two groups. */
function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

function joined(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((value, part) => (value << width) | BigInt(part), 0n)
}

function textOf({ value, width }: Bits): string {
  const part = (at: number, size: bigint) => (value >> (BigInt(at) * size)) & ((1n << size) - 1n)
  if (width === 32) return [3, 2, 1, 0].map((at) => part(at, 8n)).join('.')
  const groups = [7, 6, 5, 4, 3, 2, 1, 0].map((at) => part(at, 16n).toString(16))
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}
