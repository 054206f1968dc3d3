import 'server-only'
import { randomUUID } from 'node:crypto'
import * as directory from '#lib/access/directory.ts'
import { newCustomerId } from '#lib/access/store.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import { setBillingProfile } from '#lib/billing-profiles/store.ts'
import { changeNaming, type Naming, readNaming, renaming } from '#lib/customers/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import { saveIssuer } from '#lib/issuers/store.ts'
import { addLicensesRecipient, addRecipient } from '#lib/notices/recipients.ts'
import { NOTICES } from '#lib/notices/rules.ts'
import { ImportRefused } from '../refused.ts'
import { type Change, plan } from './differences.ts'
import { type Invitation, saveMember } from './members.ts'
import type { GivenCustomer } from './shapes.ts'
import { readStored } from './stored.ts'
import { type Told, telling } from './told.ts'

export type Applied = { changes: Change[]; invitations: Invitation[] }

/**
 * Brings one customer to what a file says, in one transaction: what would change is looked at anew in it, and each change
 * leaves the row of history that the single command leaves.
 * @param how.isMailed whether links of new members are mailed by a job, and not given back
 * @throws ImportRefused where it can't be done any more, because somebody else changed it meanwhile
 */
export function applyCustomer(given: GivenCustomer, { isMailed = false } = {}): Promise<Applied> {
  const customerId = newCustomerId(given.id)
  return scope({ customerId }, async (tx) => {
    // Two imports of one customer come one after the other.
    const naming = await readNaming(tx, customerId)
    const stored = naming && (await readStored(tx, customerId))
    const { changes, problems } = plan(given, stored)
    if (problems.length > 0) throw new ImportRefused(problems)
    const of = (part: Change['part']) =>
      new Map(changes.filter((one) => one.part === part && one.kind !== 'unchanged').map((one) => [one.id, one]))
    const told = telling(tx, customerId)
    await saveNaming(tx, customerId, given, naming, told)
    const profiles = of('billing profile')
    for (const { line: _, ...profile } of given.profiles.filter(({ id }) => profiles.has(id))) {
      await setBillingProfile(tx, customerId, profile)
      const { id, ...details } = profile
      await told('billing-profile.set', id, details)
    }
    const issuers = of('issuer')
    for (const { line: _, ...issuer } of given.issuers.filter(({ name }) => issuers.has(name)))
      await saveIssuer(tx, customerId, issuer, randomUUID())
    const invitations: Invitation[] = []
    const members = of('member')
    const known = new Map(stored?.members.map((member) => [member.email.toLowerCase(), member]))
    for (const member of given.members) {
      const before = known.get(member.email.toLowerCase())
      if (!members.has(before?.email ?? member.email)) continue
      const invitation = await saveMember(tx, customerId, member, before, { told, isMailed })
      if (invitation) invitations.push({ ...invitation, customer: given.id })
    }
    const notices = of('notices')
    for (const one of given.notices.filter(({ email, profile }) => notices.has(`${email} of ${profile}`)))
      await saveNotices(tx, customerId, one, told)
    return { changes, invitations }
  })
}

async function saveNaming(
  tx: Transaction,
  customerId: CustomerId,
  { name, domain, contactEmail }: GivenCustomer,
  before: Naming | undefined,
  told: Told,
): Promise<void> {
  if (!before) {
    const given = { name: name ?? '', domain: domain ?? '', contactEmail: contactEmail ?? '' }
    await directory.addCustomer(tx, customerId, given)
    return told('customer.added', customerId, given)
  }
  const given = Object.entries({ name, domain, contactEmail }) as [keyof Naming, string | undefined][]
  const changed = given.filter(([field, value]) => value !== undefined && value !== before[field])
  if (changed.length === 0) return
  const fields = Object.fromEntries(changed) as Partial<Naming>
  await changeNaming(tx, customerId, fields, before)
  await told('customer.renamed', customerId, renaming(before, fields))
}

async function saveNotices(
  tx: Transaction,
  customerId: CustomerId,
  { email, profile, kinds }: GivenCustomer['notices'][number],
  told: Told,
): Promise<void> {
  const stopped: string[] = []
  if (kinds.includes('licenses'))
    stopped.push(...(await addLicensesRecipient(tx, customerId, { email, again: false })))
  const ofInvoices = NOTICES.filter((kind) => kinds.includes(kind))
  if (ofInvoices.length > 0)
    stopped.push(...(await addRecipient(tx, customerId, { email, profile, kinds: ofInvoices, again: false })))
  await told('notices.set', email, { profile, kinds, stopped })
}
