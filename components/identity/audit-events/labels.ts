import type { AuditEvent } from '#lib/identity/audit-events/contract.ts'
import type { EventKind } from '#lib/identity/audit-events/rules.ts'
import { ROLE_NAMES, type Role } from '#lib/platform/caller/rules.ts'

/** Labels of event kinds in the filter. */
export const KIND_TEXTS: Record<EventKind, string> = {
  'sign-ins': 'Sign-ins',
  refused: 'Refused',
  exports: 'Exports',
  licenses: 'Licenses',
  invoices: 'Invoices',
  access: 'Members and keys',
  notices: 'Notices',
}

const TEXTS: Record<string, string> = {
  'session.opened': 'Signed in',
  'session.ended': 'Session ended',
  'session.confirmed': 'Confirmed who they are',
  'sign-in.failed': 'Sign-in failed',
  'factor.refused': 'Correct password, wrong verification code',
  'sign-in.throttled': 'Sign-in blocked after too many attempts',
  'sign-on.refused': 'Single sign-on refused',
  'sign-on.bound': 'Signed in by single sign-on for the first time',
  'sign-on.released': 'Removed a member’s link to the identity provider',
  'identity-provider.set': 'Set an identity provider',
  'identity-provider.removed': 'Removed an identity provider',
  'identity-provider.turned-off': 'Turned an identity provider off',
  'sign-on-domain.added': 'Added a domain for single sign-on',
  'sign-on-domain.proven': 'Verified a domain for single sign-on',
  'sign-on-domain.removed': 'Removed a domain from single sign-on',
  'customer.passwords-refused': 'Turned password sign-in off',
  'customer.passwords-allowed': 'Turned password sign-in on',
  'password.refused': 'Entered a wrong current password',
  'password.throttled': 'Password change blocked after too many attempts',
  'password.changed': 'Changed the password',
  'password.set': 'Set a password',
  'factor.added': 'Set up two-step verification',
  'factor.removed': 'Removed a verification method',
  'factor.demanded': 'Required two-step verification',
  'factor.not-demanded': 'Made two-step verification optional',
  'factors.reset': 'Reset a member’s two-step verification',
  'recovery-code.used': 'Used a recovery code',
  'recovery-codes.made': 'Created recovery codes',
  'access.denied': 'Access denied',
  'access.throttled': 'Request limit exceeded',
  'export.begun': 'Exported a file',
  'key.issued': 'Created a key',
  'key.revoked': 'Revoked a key',
  'key.renamed': 'Renamed a key',
  'key.rotated': 'Rotated a key',
  'key.refused': 'Used a key from an address that is not allowed',
  'key.leaked': 'Reported a leaked key, which revoked it',
  'view.shared': 'Shared a saved view',
  'view.changed': 'Changed a shared view',
  'view.taken-back': 'Stopped sharing a view',
  'view.removed': 'Removed a shared view',
  'customer.added': 'Added the customer',
  'customer.renamed': 'Renamed the customer',
  'customer.closed': 'Closed the customer',
  'customer.reopened': 'Reopened the customer',
  'customer.exported': 'Exported all data of the customer',
  'customer.merged': 'Merged another customer into this one',
  'customer.merged-into': 'Merged this customer into another one',
  'member.added': 'Added a member',
  'invitation.made': 'Renewed an invitation',
  'invitation.accepted': 'Accepted an invitation',
  'reset.made': 'Created a password link',
  'member.disabled': 'Disabled a member',
  'member.enabled': 'Enabled a member',
  'member.roles-set': 'Set a member’s roles',
  'member.invited': 'Invited a member',
  'member.changed': 'Changed a member',
  'member.removed': 'Removed a member',
  'scim-token.issued': 'Created a SCIM token',
  'scim-token.revoked': 'Revoked a SCIM token',
  'webhook.added': 'Added a webhook',
  'webhook.changed': 'Changed a webhook',
  'webhook.paused': 'Webhook paused after failures, or because its Admin lost access',
  'webhook.removed': 'Removed a webhook',
  'webhook.secret-rotated': 'Rotated the secret of a webhook',
  'calendar-feed.made': 'Created a calendar link',
  'calendar-feed.revoked': 'Revoked a calendar link',
  'calendar-feed.leaked': 'Reported a leaked calendar link, which revoked it',
  'scim-group.added': 'Added a group',
  'scim-group.mapped': 'Set the access of a group',
  'scim-group.changed': 'Changed a group',
  'scim-group.removed': 'Removed a group',
  'invitation.withdrawn': 'Withdrew an invitation',
  'billing-profile.set': 'Set a billing profile',
  'billing-profile.posting-set': 'Set accounting details of a billing profile',
  'asset.posting-set': 'Set accounting details of an asset',
  'issuer.set': 'Set an issuer',
  'issuer.same': 'Recorded an issuer as another one',
  'issuer.another': 'Recorded two issuers as two',
  'issuer.own': 'Recorded an issuer as one of its own',
  'invoices.imported': 'Imported invoices',
  'assets.imported': 'Imported assets',
  'asset.replaced': 'Replaced an asset',
  'renewal.ordered': 'Ordered licenses for the next term',
  'renewal.applied': 'Started a term as ordered',
  'renewal.rejected': 'Rejected an order for the next term',
  'renewal.withdrawn': 'Withdrew an order for the next term',
  'renewal.lost': 'Lost an order for the next term',
  'import.undone': 'Undid an import',
  'invoice.voided': 'Voided an invoice',
  'invoice.merged': 'Merged two invoices',
  'invoice.written-off': 'Wrote off the balance of an invoice',
  'payment.added': 'Recorded a payment',
  'payment.refunded': 'Recorded a refund',
  'payment.assigned': 'Assigned a payment to invoices',
  'payment.reversed': 'Reversed a payment',
  'payments.imported': 'Imported payments',
  'invoice.file-attached': 'Attached a file to an invoice',
  'invoice.file-reissued': 'Created the PDF of an invoice again',
  'limits.set': 'Set limits',
  'history.closed': 'Removed old history',
}

/** Describes an action: `License change applied` where it has no label. */
export function actionText(action: string): string {
  const text = TEXTS[action] ?? action.replaceAll(/[.-]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type Detail = AuditEvent['details'][string]

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the name of an event's subject, if it has one; undefined for an internal id. */
export function subjectText({ subject }: Pick<AuditEvent, 'subject' | 'actor'>): string | undefined {
  return UUID.test(subject) ? undefined : subject
}

/** Describes an event's details, each with its name: `from 45`, `roles Admin, IT Manager`. */
export function detailTexts({
  subject,
  actor,
  details,
}: Pick<AuditEvent, 'subject' | 'actor' | 'details'>): string[] {
  const entries = Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${nameText(name)} ${valueText(name, value)}`)
  return UUID.test(subject) && subject !== actor.id ? [...entries, `id ${subject}`] : entries
}

/** `validHours` is `valid hours`. */
function nameText(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function valueText(name: string, value: Detail): string {
  // What was changed is the name of a part.
  if (name === 'changed') return nameText(String(value))
  return Array.isArray(value) ? value.map(roleText).join(', ') || 'none' : String(value)
}

/** The name of a role; any other value as it is. */
function roleText(value: string): string {
  return Object.hasOwn(ROLE_NAMES, value) ? ROLE_NAMES[value as Role] : value
}
