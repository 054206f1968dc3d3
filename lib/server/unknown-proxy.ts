import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import { canonicalAddress } from '#lib/platform/caller/limits/addresses.ts'
import { log } from '#lib/platform/runtime/log.ts'

// A proxy in front that we are not told of makes all clients look like one: whoever fails to sign in counts against all who
// sign in to the same account from a browser that it does not know.

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

/** Whether an address is of this machine or of a private network, where proxies are. */
export function isPrivate(address: string): boolean {
  const plain = canonicalAddress(address)
  return PRIVATE.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}

/** What the settings themselves tell; undefined: nothing. */
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
 * Watches requests for signs of a proxy that the settings do not tell of, and says so once in a process: X-Forwarded-For
 * from a private address. Anybody may send that header, but from there it is a proxy.
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
