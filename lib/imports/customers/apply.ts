import 'server-only'
import { randomUUID } from 'node:crypto'
import { saveIssuer } from '#lib/billing/parties/issuers.ts'
import { setBillingProfile } from '#lib/identity/customers/billing-profiles.ts'
import * as directory from '#lib/identity/customers/store.ts'
import { changeNaming, type Naming, readNaming, renaming } from '#lib/identity/customers/store.ts'
import { change } from '#lib/identity/members/change.ts'
import { invite } from '#lib/identity/members/invite.ts'
import { addLicensesRecipient, addRecipient } from '#lib/notifications/notices/recipients.ts'
import { NOTICES } from '#lib/notifications/notices/rules.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { asOperator, newCustomerId } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type AuditEvent, OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { ImportError } from '../import-error.ts'
import { type Change, plan } from './differences.ts'
import type { CustomerInput, MemberInput } from './schemas.ts'
import { readStored, type StoredMember } from './stored.ts'

export type Applied = { changes: Change[]; invitations: Invitation[] }

/**
 * Applies a file's state of one customer in one transaction: computes the changes again inside, and records each change
 * in the history like the single command does.
 * @param how.isMailed whether a job mails the links of new members, instead of returning them
 * @throws ImportError where another process has changed the customer in the meantime, and the changes no longer apply
 */
export function applyCustomer(input: CustomerInput, { isMailed = false } = {}): Promise<Applied> {
  const customerId = newCustomerId(input.id)
  return scope({ customerId }, async (tx) => {
    // Two imports of one customer run one after the other.
    const naming = await readNaming(tx, customerId)
    const stored = naming && (await readStored(tx, customerId))
    const { changes, problems } = plan(input, stored)
    if (problems.length > 0) throw new ImportError(problems)
    const news = changes.filter(({ kind }) => kind !== 'unchanged')
    const storedMembers = new Map(stored?.members.map((member) => [member.email.toLowerCase(), member]))
    const isNews: IsNews = (part: Change['part'], id: string) =>
      news.some((one) => one.part === part && one.id === id)
    const requestId = randomUUID()
    const record = auditWriter(tx, customerId, requestId)
    await saveNaming(tx, customerId, input, { before: naming, record })
    await saveParties(tx, customerId, input, { isNews, record })
    const members = input.members.filter(({ email }) => isNews('member', email))
    const operator = asOperator({ customerId, ...namingOf(input) }, ['admin'])
    const invitations: Invitation[] = []
    for (const member of members) {
      const before = storedMembers.get(member.email.toLowerCase())
      const invitation = await saveMember(tx, operator, member, { before, how: { requestId, isMailed } })
      if (invitation) invitations.push({ ...invitation, customer: input.id })
    }
    for (const one of input.notices.filter(({ email, profile }) =>
      isNews('notices', `${email} of ${profile}`),
    ))
      await saveNotices(tx, customerId, one, record)
    return { changes, invitations }
  })
}

/** Returns whether the file changes an item. */
type IsNews = (part: Change['part'], id: string) => boolean

/** Saves the addressees and issuers of invoices. */
async function saveParties(
  tx: Transaction,
  customerId: CustomerId,
  input: CustomerInput,
  { isNews, record }: { isNews: IsNews; record: AuditWriter },
): Promise<void> {
  for (const { line: _, ...profile } of input.profiles.filter(({ id }) => isNews('billing profile', id))) {
    await setBillingProfile(tx, customerId, profile)
    const { id, ...details } = profile
    await record('billing-profile.set', id, details)
  }
  for (const { line: _, ...issuer } of input.issuers.filter(({ name }) => isNews('issuer', name)))
    await saveIssuer(tx, customerId, issuer, randomUUID())
}

/** Completes the naming of a new customer, whose file contains all of it. */
function namingOf({ name = '', domain = '', contactEmail = '' }: Partial<Naming>): Naming {
  return { name, domain, contactEmail }
}

async function saveNaming(
  tx: Transaction,
  customerId: CustomerId,
  { name, domain, contactEmail }: CustomerInput,
  { before, record }: { before: Naming | undefined; record: AuditWriter },
): Promise<void> {
  if (!before) {
    const naming = namingOf({ name, domain, contactEmail })
    await directory.addCustomer(tx, customerId, naming)
    return record('customer.added', customerId, naming)
  }
  const entries = Object.entries({ name, domain, contactEmail }) as [keyof Naming, string | undefined][]
  const changed = entries.filter(([field, value]) => value !== undefined && value !== before[field])
  if (changed.length === 0) return
  const fields = Object.fromEntries(changed) as Partial<Naming>
  await changeNaming(tx, customerId, fields, before)
  await record('customer.renamed', customerId, renaming(before, fields))
}

async function saveNotices(
  tx: Transaction,
  customerId: CustomerId,
  { email, profile, kinds }: CustomerInput['notices'][number],
  record: AuditWriter,
): Promise<void> {
  const stopped: string[] = []
  if (kinds.includes('licenses'))
    stopped.push(...(await addLicensesRecipient(tx, customerId, { email, again: false })))
  const ofInvoices = NOTICES.filter((kind) => kinds.includes(kind))
  if (ofInvoices.length > 0)
    stopped.push(...(await addRecipient(tx, customerId, { email, profile, kinds: ofInvoices, again: false })))
  await record('notices.set', email, { profile, kinds, stopped })
}

/** Invitation of a new member: a link that is shown once. */
export type Invitation = { customer: string; email: string; name: string; url: string; expiresAt: Date }

/**
 * Invites a new member, or changes the present fields of an existing one, by the rules of screens and single commands,
 * with their audit rows.
 * @param operator of the customer
 * @param how.isMailed whether a job mails the link, which is then shown to no other person
 * @returns the invitation of a new member, unless mailed
 * @throws Problem `last_admin`, or the codes of `refusedWith` in lib/identity/members/change.ts
 */
async function saveMember(
  tx: Transaction,
  operator: Caller,
  { email, name, roles, billingProfiles }: MemberInput,
  { before, how }: { before: StoredMember | undefined; how: { requestId: string; isMailed: boolean } },
): Promise<Omit<Invitation, 'customer'> | undefined> {
  if (before) {
    await change(tx, operator, before.id, { requested: { name, roles, billingProfiles }, ...how })
    return undefined
  }
  const invited = { email, name: name ?? '', roles: roles ?? [], billingProfiles }
  const { url, expireTime } = (await invite(tx, operator, invited, how)).link
  return url === undefined ? undefined : { email, name: invited.name, url, expiresAt: new Date(expireTime) }
}

/** Writes audit rows of an import into the customer's history, in the import's transaction. */
type AuditWriter = (action: string, subject: string, details?: AuditEvent['details']) => Promise<void>

/** Returns a writer whose events share the request id. */
function auditWriter(tx: Transaction, customerId: CustomerId, requestId: string): AuditWriter {
  return (action, subject, details = {}) =>
    recordAudit(tx, customerId, { action, subject, details, actor: OPERATOR, requestId })
}
