import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import { canonicalAddress } from '#lib/platform/caller/limits/addresses.ts'
import { log } from '#lib/platform/runtime/log.ts'

// An undeclared proxy makes all clients look like one: a failed sign-in then counts against everyone who signs in to
// the same account from an unknown browser.

const PRIVATE = new BlockList()
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['127.0.0.0', 8],
] as const)
  PRIVATE.addSubnet(network, bits)
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6')

/** Returns whether an address belongs to this machine or a private network, where proxies are. */
export function isPrivate(address: string): boolean {
  const plain = canonicalAddress(address)
  return PRIVATE.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}

/** Returns the warning that follows from the settings; undefined: none. */
export function proxyDoubt({
  https,
  trustProxy,
}: {
  https: boolean
  trustProxy: boolean
}): string | undefined {
  if (!https || trustProxy) return undefined
  return 'BASE_URL is https, so a proxy is in front: without TRUST_PROXY=1 all clients look like that proxy'
}

/**
 * Watches requests for signs of an undeclared proxy, and logs them once per process: X-Forwarded-For from a private
 * address. Any client may send that header, but from a private address it comes from a proxy.
 */
export function proxyWatch(trustProxy: boolean): (req: IncomingMessage) => void {
  let isOver = trustProxy
  return ({ headers, socket }) => {
    if (isOver || headers['x-forwarded-for'] === undefined || !isPrivate(socket.remoteAddress ?? '')) return
    isOver = true
    log().warn(
      { proxy: canonicalAddress(socket.remoteAddress ?? '') },
      'X-Forwarded-For comes from a private address and is not believed: set TRUST_PROXY=1 if that is your proxy',
    )
  }
}
