declare const customer: unique symbol

/** A customer that lib/platform/caller has proven the caller to belong to. Nothing else can mint one. */
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

// spec 5.3; Admin holds both (CONTRACT 1)
export const ROLES_WITH: Record<Permission, readonly Role[]> = {
  'licenses-manager': ['it-manager', 'admin'],
  'invoice-viewer': ['finance-user', 'admin'],
  // Who posts invoices says by what: no right to see anything.
  'posting-editor': ['finance-user', 'admin'],
  'audit-viewer': ['admin'],
  'members-manager': ['admin'],
}

/** A session ends where nothing was asked of it for so many seconds. */
export const IDLE_SECONDS = 30 * 60

/** What a secret opens: that of one door opens nothing behind another. */
export type ApiSurface = 'api' | 'scim'

/** Who is calling, proven, with what they may see and do. */
export type Caller = {
  customerId: CustomerId
  customerName: string
  customerDomain: string
  /** `operator`: the command line, which no request can be. `scim`: a customer's directory. */
  via: 'key' | 'session' | 'scim' | 'operator'
  /** Id of the API key, of the member or of the SCIM token. */
  id: string
  /** Name of the API key or of the member; of a SCIM token, `SCIM token` and its name. */
  name: string
  /** The member's address; for a key, its issuer's, else the customer's contact, as for the operator. */
  email: string
  roles: readonly Role[]
  /** Billing profiles whose invoices this caller may see: each statement on invoices names them. */
  billingProfiles: readonly string[]
  /** Digest of the session's id, when `via` is `session`. */
  session?: string
  /** When `via` is `session`: so many seconds ago, by the database's clock, the member last proved who they are. */
  verifiedSecondsAgo?: number
  /** Since when the customer can only be read, and from when on not even that; absent where it is open. */
  closed?: { at: Date; goneAt: Date }
}

/** Whether the caller holds the permission through any of their roles. */
export function may(caller: Pick<Caller, 'roles'>, permission: Permission): boolean {
  return ROLES_WITH[permission].some((role) => caller.roles.includes(role))
}

/** The roles that carry the permission, as people read them: "IT Manager or Admin". */
export function rolesWith(permission: Permission): string {
  return ROLES_WITH[permission].map((role) => ROLE_NAMES[role]).join(' or ')
}

const HERE = 'http://here.invalid'

/** Where to go on to after sign-in: a path of this console, else its start. An address elsewhere is never followed. */
export function localPath(path: string): string {
  if (!path.startsWith('/') || !URL.canParse(path, HERE)) return '/'
  const { origin, pathname, search } = new URL(path, HERE)
  // `/.//elsewhere` is a path of ours, but what is left of it without its dots names another host.
  const isLocal = origin === HERE && !pathname.startsWith('//') && !pathname.startsWith('/sign-in')
  return isLocal ? pathname + search : '/'
}
