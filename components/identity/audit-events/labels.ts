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
  'sign-in.throttled': 'Sign-in refused after too many attempts',
  'sign-on.refused': 'Single sign-on refused',
  'sign-on.bound': 'Signed in by single sign-on for the first time',
  'sign-on.released': 'Forgot who a member is at the identity provider',
  'identity-provider.set': 'Set an identity provider',
  'identity-provider.removed': 'Removed an identity provider',
  'identity-provider.turned-off': 'Turned an identity provider off',
  'sign-on-domain.added': 'Named a domain for single sign-on',
  'sign-on-domain.proven': 'Proved a domain for single sign-on',
  'sign-on-domain.removed': 'Removed a domain of single sign-on',
  'customer.passwords-refused': 'Let members in by single sign-on alone',
  'customer.passwords-allowed': 'Let members sign in by password',
  'password.refused': 'Named a wrong current password',
  'password.throttled': 'Refused a change of password after too many attempts',
  'password.changed': 'Changed the password',
  'password.set': 'Set a password',
  'factor.added': 'Set up two-step verification',
  'factor.removed': 'Removed a verification method',
  'factor.demanded': 'Required two-step verification',
  'factor.not-demanded': 'Made two-step verification optional',
  'factors.reset': 'Reset a member’s two-step verification',
  'recovery-code.used': 'Used a recovery code',
  'recovery-codes.made': 'Made recovery codes',
  'access.denied': 'Refused access',
  'access.throttled': 'Refused requests over a limit',
  'export.begun': 'Exported a file',
  'key.issued': 'Created a key',
  'key.revoked': 'Revoked a key',
  'key.renamed': 'Renamed a key',
  'key.rotated': 'Rotated a key',
  'key.refused': 'Used a key from an address that it is not for',
  'key.leaked': 'Showed us a key that was found, which revoked it',
  'view.shared': 'Shared a saved view',
  'view.changed': 'Changed a shared view',
  'view.taken-back': 'Took a shared view back',
  'view.removed': 'Removed a shared view',
  'customer.added': 'Added the customer',
  'customer.renamed': 'Renamed the customer',
  'customer.closed': 'Closed the customer',
  'customer.reopened': 'Opened the customer again',
  'customer.exported': 'Exported all of the customer',
  'customer.merged': 'Took another customer in',
  'customer.merged-into': 'Went into another customer',
  'member.added': 'Added a member',
  'invitation.made': 'Made an invitation anew',
  'invitation.accepted': 'Accepted an invitation',
  'reset.made': 'Made a link for a new password',
  'member.disabled': 'Disabled a member',
  'member.enabled': 'Enabled a member',
  'member.roles-set': 'Set a member’s roles',
  'member.invited': 'Invited a member',
  'member.changed': 'Changed a member',
  'member.removed': 'Took a member away',
  'scim-token.issued': 'Issued a SCIM token',
  'scim-token.revoked': 'Revoked a SCIM token',
  'webhook.added': 'Added a webhook',
  'webhook.changed': 'Changed a webhook',
  'webhook.paused': 'Webhook paused after failures, or because its Admin lost access',
  'webhook.removed': 'Removed a webhook',
  'webhook.secret-rotated': 'Rotated the secret of a webhook',
  'calendar-feed.made': 'Made the link of a calendar',
  'calendar-feed.revoked': 'Revoked the link of a calendar',
  'calendar-feed.leaked': 'Showed us the link of a calendar that was found, which revoked it',
  'scim-group.added': 'Added a group',
  'scim-group.mapped': 'Said what a group gives',
  'scim-group.changed': 'Changed a group',
  'scim-group.removed': 'Took a group away',
  'invitation.withdrawn': 'Withdrew an invitation',
  'billing-profile.set': 'Set a billing profile',
  'billing-profile.posting-set': 'Set what invoices of a billing profile carry',
  'asset.posting-set': 'Set what lines of an asset carry',
  'issuer.set': 'Set an issuer',
  'issuer.same': 'Recorded an issuer as another one',
  'issuer.another': 'Recorded two issuers as two',
  'issuer.own': 'Recorded an issuer as one of its own',
  'invoices.imported': 'Imported invoices',
  'assets.imported': 'Imported assets',
  'asset.replaced': 'Replaced an asset',
  'renewal.ordered': 'Ordered licenses for the next term',
  'renewal.applied': 'Began a term as ordered',
  'renewal.rejected': 'Refused an order for the next term',
  'renewal.withdrawn': 'Took an order for the next term back',
  'renewal.lost': 'Lost an order for the next term',
  'import.undone': 'Undid an import',
  'invoice.voided': 'Voided an invoice',
  'invoice.merged': 'Merged two invoices',
  'invoice.written-off': 'Wrote off the rest of an invoice',
  'payment.added': 'Recorded a payment',
  'payment.refunded': 'Recorded a refund',
  'payment.assigned': 'Assigned a payment to invoices',
  'payment.reversed': 'Reversed a payment',
  'payments.imported': 'Imported payments',
  'invoice.file-attached': 'Attached a file to an invoice',
  'invoice.file-reissued': 'Drew the PDF of an invoice again',
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
