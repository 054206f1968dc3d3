import 'server-only'
import type { CustomFetchOptions } from 'openid-client'
import {
  checkOutbound,
  checkOutboundHost,
  type PrivateHosts,
  sendOutbound,
} from '#lib/platform/runtime/outbound.ts'
import { signOnSettings } from '../../settings.ts'

/** Largest response of an issuer, in bytes; usual ones have some kilobytes. */
const MAX_BYTES = 512 * 1024
const TIMEOUT_MS = 5000

function allowed(): PrivateHosts {
  return { hosts: signOnSettings().privateHosts, setting: 'SIGN_ON_PRIVATE_HOSTS' }
}

/**
 * Sends a request to an issuer: https and public addresses only, without following redirects. Hosts in
 * SIGN_ON_PRIVATE_HOSTS may have a private address.
 * @throws Error with the reason why it was not sent, or not answered
 */
export async function fetchIssuer(
  url: string,
  { method, headers, body, signal }: CustomFetchOptions,
): Promise<Response> {
  const text = body === null || body === undefined ? undefined : String(body)
  const limits = { allowed: allowed(), timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }
  const answer = await sendOutbound({ url, method, headers, body: text, signal, ...limits })
  const { status, contentType } = answer
  const isEmpty = status === 204 || status === 304
  return new Response(isEmpty ? null : new Uint8Array(answer.body), {
    status,
    headers: { 'content-type': contentType },
  })
}

/** Checks an address like `fetchIssuer`, without sending a request. @throws Error with the reason */
export function checkIssuerAddress(url: string): void {
  checkOutbound(url, allowed())
}

/**
 * Checks an address like `checkIssuerAddress`, and that its host has public addresses only.
 * @throws Error with the reason, of the same kind for an unknown host as for one with a private address
 */
export async function checkIssuerHost(url: string): Promise<void> {
  await checkOutboundHost(url, allowed())
}
