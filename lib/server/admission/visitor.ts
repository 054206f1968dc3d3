import type { IncomingMessage } from 'node:http'
import { canonicalAddress } from '#lib/platform/caller/limits/addresses.ts'

/**
 * The address of whoever asks, in its one form: of the connection, or behind a trusted proxy what that proxy says, which
 * is the last entry.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const own = canonicalAddress(socket.remoteAddress ?? '')
  const forwarded = headers['x-forwarded-for']
  if (!trustProxy || forwarded === undefined) return own
  return canonicalAddress(String(forwarded).split(',').at(-1) ?? '') || own
}
