import type { KeyLimits } from '#lib/identity/keys/rules.ts'
import type { Role } from '#lib/platform/caller/rules.ts'

/** Access that the issuer of keys can grant on this screen; the service checks it again. */
export type Issuer = {
  id: string
  roles: readonly Role[]
  profiles: readonly { id: string; name: string }[]
  /** Whether keys can belong to the customer, which takes an Admin. */
  isAdmin: boolean
  customer: string
  limits: KeyLimits
}
