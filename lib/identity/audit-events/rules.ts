/** Groups of audit events for the filter: the subjects that their actions start with, or whole actions. */
export const EVENT_KINDS = {
  'sign-ins': [
    'session',
    'sign-in',
    'sign-on',
    'password',
    'factor',
    'factors',
    'recovery-code',
    'recovery-codes',
  ],
  refused: [
    'access.denied',
    'access.throttled',
    'key.refused',
    'sign-in.failed',
    'sign-in.throttled',
    'sign-on.refused',
    'factor.refused',
    'password.refused',
    'password.throttled',
  ],
  exports: ['export'],
  licenses: ['license-change', 'vendor-subscription', 'asset', 'assets', 'renewal'],
  invoices: ['invoice', 'invoices', 'issuer', 'billing-profile', 'import', 'sums', 'payment', 'payments'],
  access: [
    ...['customer', 'member', 'invitation', 'reset', 'key', 'limits', 'prices', 'view', 'history'],
    ...['identity-provider', 'sign-on-domain', 'scim-token', 'scim-group', 'calendar-feed', 'webhook'],
  ],
  notices: ['notices'],
} as const satisfies Record<string, readonly string[]>

export type EventKind = keyof typeof EVENT_KINDS

export const KIND_NAMES = Object.keys(EVENT_KINDS) as EventKind[]

/** Returns the subjects and the whole actions of these kinds. */
export function actionsOf(kinds: readonly string[]): { things: string[]; actions: string[] } {
  const named = KIND_NAMES.filter((kind) => kinds.includes(kind)).flatMap((kind) => [...EVENT_KINDS[kind]])
  return {
    things: named.filter((name) => !name.includes('.')),
    actions: named.filter((name) => name.includes('.')),
  }
}

/** Returns the kinds of an action: one, and `refused` as well for a rejected action. */
export function kindsOf(action: string): EventKind[] {
  const thing = action.split('.')[0] ?? ''
  return KIND_NAMES.filter((kind) => EVENT_KINDS[kind].some((name) => name === thing || name === action))
}
