import type { IncomingMessage } from 'node:http'
import { canonicalAddress } from '#lib/access/limits/addresses.ts'
import { log } from '#lib/log.ts'

let isWarned = false

/**
 * The address of whoever asks, in its one form: of the connection, or behind a trusted proxy what that proxy says, which
 * is the last entry.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const own = canonicalAddress(socket.remoteAddress ?? '')
  const forwarded = headers['x-forwarded-for']
  if (forwarded === undefined) return own
  if (trustProxy) return canonicalAddress(String(forwarded).split(',').at(-1) ?? '') || own
  if (!isWarned) {
    isWarned = true
    log().warn(
      'a request has X-Forwarded-For, which TRUST_PROXY=0 throws away: behind a proxy all visitors are one address, and share its limits',
    )
  }
  return own
}
