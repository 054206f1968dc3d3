import type { KeyLimits } from '#lib/identity/keys/rules.ts'
import type { Role } from '#lib/platform/caller/rules.ts'

/** Who may issue keys on this screen: what they can give, which the service checks again. */
export type Issuer = {
  id: string
  roles: readonly Role[]
  profiles: readonly { id: string; name: string }[]
  /** Whether keys can belong to the customer. */
  isAdmin: boolean
  customer: string
  limits: KeyLimits
}
