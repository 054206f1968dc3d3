import 'server-only'
import { isIP } from 'node:net'
import { env } from '#lib/platform/runtime/env.ts'

/** The site that passkeys are for. */
export type RelyingParty = { id: string; origin: string }

/** Why no browser makes a passkey here: BASE_URL names no host but an address, or is not safe. */
export type Hindrance = 'address' | 'not-safe'

/** The site as browsers see it, by BASE_URL. A host that is an IP address has no passkeys, and without https `localhost` alone. */
export function relyingParty(): RelyingParty | Hindrance {
  const { hostname, origin, protocol } = new URL(env().baseUrl)
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0) return 'address'
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? { id: hostname, origin } : 'not-safe'
}
