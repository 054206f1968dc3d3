declare const customer: unique symbol

/** Id of a customer to which lib/platform/caller has proven the caller to belong. No other code can create one. */
export type CustomerId = string & { readonly [customer]: true }

export const ROLES = ['it-manager', 'finance-user', 'admin'] as const
export type Role = (typeof ROLES)[number]

export const ROLE_NAMES: Record<Role, string> = {
  'it-manager': 'IT Manager',
  'finance-user': 'Finance User',
  admin: 'Admin',
}

export type Permission =
  | 'licenses-manager'
  | 'invoice-viewer'
  | 'posting-editor'
  | 'audit-viewer'
  | 'members-manager'

export const PERMISSION_NAMES: Record<Permission, string> = {
  'licenses-manager': 'Licenses Manager',
  'invoice-viewer': 'Invoice Viewer',
  'posting-editor': 'Posting Editor',
  'audit-viewer': 'Audit Viewer',
  'members-manager': 'Members Manager',
}

// spec 5.3; Admin holds both
export const ROLES_WITH: Record<Permission, readonly Role[]> = {
  'licenses-manager': ['it-manager', 'admin'],
  'invoice-viewer': ['finance-user', 'admin'],
  // A key that posts invoices names its posting system: the permission shows no data.
  'posting-editor': ['finance-user', 'admin'],
  'audit-viewer': ['admin'],
  'members-manager': ['admin'],
}

/** Seconds without a request after which a session ends. */
export const IDLE_SECONDS = 30 * 60

/** Surface that a secret opens; a secret of one surface opens nothing on the other. */
export type ApiSurface = 'api' | 'scim'

/** Authenticated caller, with roles and permissions. */
export type Caller = {
  customerId: CustomerId
  customerName: string
  customerDomain: string
  /** `operator`: the command line only. `scim`: a customer's directory. */
  via: 'key' | 'session' | 'scim' | 'operator'
  /** Id of the API key, of the member or of the SCIM token. */
  id: string
  /** Name of the API key or of the member; of a SCIM token, `SCIM token` and its name. */
  name: string
  /** Member's address; for a key, its issuer's or else the customer's contact, as for the operator. */
  email: string
  roles: readonly Role[]
  /** Billing profiles whose invoices this caller may see: each statement on invoices filters by them. */
  billingProfiles: readonly string[]
  /**
   * Version of the customer's rows, and time of the database in epoch milliseconds, read by the query that found the
   * caller: a cached answer for both is still right.
   */
  seenAt?: { version: string; now: number }
  /** Digest of the session's id, when `via` is `session`. */
  session?: string
  /** Seconds since the member last verified their identity, by the database's clock; only where `via` is `session`. */
  verifiedSecondsAgo?: number
  /** Time from which the customer is read-only, and time from which it is inaccessible; undefined while open. */
  closed?: { at: Date; goneAt: Date }
}

/** Returns whether one of the caller's roles carries the permission. */
export function may(caller: Pick<Caller, 'roles'>, permission: Permission): boolean {
  return ROLES_WITH[permission].some((role) => caller.roles.includes(role))
}

/** Returns whether the caller sees and ends keys and sessions of others: Admins and their keys do. */
export function maySeeOthers({ roles }: Pick<Caller, 'roles'>): boolean {
  return roles.includes('admin')
}

/** Returns the roles that carry the permission, for people: "IT Manager or Admin". */
export function rolesWith(permission: Permission): string {
  return ROLES_WITH[permission].map((role) => ROLE_NAMES[role]).join(' or ')
}

const HERE = 'http://here.invalid'

/** Returns the path to open after sign-in: a path of this console, else its start page. Prevents open redirects. */
export function localPath(path: string): string {
  if (!path.startsWith('/') || !URL.canParse(path, HERE)) return '/'
  const { origin, pathname, search } = new URL(path, HERE)
  // `/.//elsewhere` is a local path, but without its dots it is `//elsewhere`, another host.
  const isLocal = origin === HERE && !pathname.startsWith('//') && !pathname.startsWith('/sign-in')
  return isLocal ? pathname + search : '/'
}
