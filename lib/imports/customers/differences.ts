import { NOTICES } from '#lib/notifications/notices/rules.ts'
import { quoted } from '../faults.ts'
import type { ImportProblem } from '../refused.ts'
import type { GivenCustomer, GivenMember, GivenNotices } from './shapes.ts'
import { newlyAdded, type StoredCustomer } from './stored.ts'

export const PARTS = ['customer', 'billing profile', 'issuer', 'member', 'notices'] as const

/** What a file does to one thing. `fields` are those that become others, each with what it was. */
export type Change = {
  part: (typeof PARTS)[number]
  id: string
  kind: 'new' | 'changed' | 'unchanged'
  fields: { name: string; from: unknown; to: unknown }[]
}

export type Planned = { changes: Change[]; problems: ImportProblem[] }

/** Notes what stands in the way, where in the file. */
type Lack = (line: number, column: string, reason: string) => void

/**
 * What a file would do to a customer: pure, so that the table that is shown and what is written follow from one rule.
 * @param stored undefined: it is new
 */
export function plan(given: GivenCustomer, stored: StoredCustomer | undefined): Planned {
  const problems: ImportProblem[] = []
  const lack: Lack = (line, column, reason) => problems.push({ line, column, reason })
  const { id, line, name, domain, contactEmail } = given
  const own = { name, domain, contactEmail }
  const missing = stored ? [] : Object.entries(own).filter(([, value]) => value === undefined)
  for (const [field] of missing) lack(line, field, `is missing, and ${id} is new`)
  const before =
    stored ?? newlyAdded({ name: name ?? '', domain: domain ?? '', contactEmail: contactEmail ?? '' })
  const profileIds = new Set([...before.profiles, ...given.profiles].map((profile) => profile.id))
  const checkProfiles = (at: number, column: string, ids: readonly string[]) => {
    for (const each of ids)
      if (!profileIds.has(each)) lack(at, column, `there is no billing profile ${quoted(each)}`)
  }
  for (const member of given.members)
    checkProfiles(member.line, 'memberProfiles', member.billingProfiles ?? [])
  for (const notices of given.notices) checkProfiles(notices.line, 'noticesProfile', [notices.profile])
  if (isWithoutAdmin(given, before)) lack(line, 'roles', `would leave ${id} without an Admin`)
  const members = new Map(before.members.map((member) => [member.email.toLowerCase(), member]))
  const changes = [
    change('customer', id, own, stored),
    ...profileChanges(given, before, lack),
    ...issuerChanges(given, before),
    ...given.members.map((member) => memberChange(member, members.get(member.email.toLowerCase()), lack)),
    ...given.notices.map((notices) => noticesChange(notices, before.notices)),
  ]
  return { changes, problems }
}

function profileChanges(given: GivenCustomer, before: StoredCustomer, lack: Lack): Change[] {
  const profiles = new Map(before.profiles.map((profile) => [profile.id, profile]))
  return given.profiles.map(({ line, id, ...fields }) => {
    const known = profiles.get(id)
    if (!known && fields.name === undefined) lack(line, 'profileName', `is missing, and ${quoted(id)} is new`)
    return change('billing profile', id, fields, known)
  })
}

/** An issuer of whom no more is said than the name is no news: invoices name theirs by themselves. */
function issuerChanges(given: GivenCustomer, before: StoredCustomer): Change[] {
  const issuers = new Map(before.issuers.map((issuer) => [issuer.name, issuer]))
  return given.issuers.map(({ line: _, name, ...fields }) => {
    const known = issuers.get(name)
    const isSaid = known !== undefined || Object.values(fields).some((value) => value != null)
    return isSaid
      ? change('issuer', name, fields, known)
      : { part: 'issuer', id: name, kind: 'unchanged', fields: [] }
  })
}

function memberChange(
  { line, email, ...given }: GivenMember,
  known: StoredCustomer['members'][number] | undefined,
  lack: Lack,
): Change {
  if (!known && given.name === undefined) lack(line, 'memberName', `is missing, and ${email} is new`)
  if (!known && given.roles === undefined) lack(line, 'roles', `is missing, and ${email} is new`)
  return change('member', email, given, known)
}

/** Whether nobody is left who manages members, where somebody was. */
function isWithoutAdmin(given: GivenCustomer, { members }: StoredCustomer): boolean {
  const roles = new Map(
    members.filter(({ isDisabled }) => !isDisabled).map((one) => [one.email.toLowerCase(), one.roles]),
  )
  const hasAdmin = () => [...roles.values()].some((own) => own.includes('admin'))
  if (!hasAdmin()) return false
  const disabled = new Set(
    members.filter(({ isDisabled }) => isDisabled).map(({ email }) => email.toLowerCase()),
  )
  for (const { email, roles: own } of given.members)
    if (own && !disabled.has(email.toLowerCase())) roles.set(email.toLowerCase(), own)
  return !hasAdmin()
}

/** Of invoices, what is given holds; of licenses, an address is told or it is not, whatever the billing profile. */
function noticesChange({ email, profile, kinds }: GivenNotices, stored: StoredCustomer['notices']): Change {
  const own = stored.filter((row) => row.email.toLowerCase() === email.toLowerCase())
  const ofProfile = own.find((row) => row.profile === profile)?.kinds ?? []
  const hasLicenses = own.some((row) => row.profile === null)
  const ofInvoices = NOTICES.filter((kind) => kinds.includes(kind))
  const known = NOTICES.filter((kind) => ofProfile.includes(kind))
  const after = ofInvoices.length > 0 ? ofInvoices : known
  const licenses = hasLicenses || kinds.includes('licenses')
  const from = [...known, ...(hasLicenses ? ['licenses'] : [])]
  const to = [...after, ...(licenses ? ['licenses'] : [])]
  return change(
    'notices',
    `${email} of ${profile}`,
    { kinds: to },
    from.length > 0 ? { kinds: from } : undefined,
  )
}

function change(
  part: Change['part'],
  id: string,
  given: Readonly<Record<string, unknown>>,
  known: object | undefined,
): Change {
  if (!known) return { part, id, kind: 'new', fields: fieldsOf(given, {}) }
  const fields = fieldsOf(given, known)
  return { part, id, kind: fields.length > 0 ? 'changed' : 'unchanged', fields }
}

function fieldsOf(given: Readonly<Record<string, unknown>>, known: object): Change['fields'] {
  const before = known as Readonly<Record<string, unknown>>
  return Object.entries(given)
    .filter(
      ([name, value]) =>
        value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name] ?? null),
    )
    .map(([name, to]) => ({ name, from: before[name] ?? null, to }))
}
