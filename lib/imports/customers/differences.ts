import { NOTICES } from '#lib/notifications/notices/rules.ts'
import type { ImportProblem } from '../import-error.ts'
import { quoted } from '../value-errors.ts'
import type { CustomerInput, MemberInput, NoticesInput } from './schemas.ts'
import { newlyAdded, type StoredCustomer } from './stored.ts'

export const PARTS = ['customer', 'billing profile', 'issuer', 'member', 'notices'] as const

/** Effect of a file on one item. `fields` are the changed fields with their previous values. */
export type Change = {
  part: (typeof PARTS)[number]
  id: string
  kind: 'new' | 'changed' | 'unchanged'
  fields: { name: string; from: unknown; to: unknown }[]
}

export type CustomerPlan = { changes: Change[]; problems: ImportProblem[] }

/** Records an obstacle at its place in the file. */
type Lack = (line: number, column: string, reason: string) => void

/**
 * Returns the effects of a file on a customer: pure, so that the displayed table and the writes share one rule.
 * @param stored undefined for a new customer
 */
export function plan(input: CustomerInput, stored: StoredCustomer | undefined): CustomerPlan {
  const problems: ImportProblem[] = []
  const lack: Lack = (line, column, reason) => problems.push({ line, column, reason })
  const { id, line, name, domain, contactEmail } = input
  const naming = { name, domain, contactEmail }
  const missing = stored ? [] : Object.entries(naming).filter(([, value]) => value === undefined)
  for (const [field] of missing) lack(line, field, `is missing, and ${id} is new`)
  const before =
    stored ?? newlyAdded({ name: name ?? '', domain: domain ?? '', contactEmail: contactEmail ?? '' })
  const profileIds = new Set([...before.profiles, ...input.profiles].map((profile) => profile.id))
  const checkProfiles = (at: number, column: string, ids: readonly string[]) => {
    for (const each of ids)
      if (!profileIds.has(each)) lack(at, column, `there is no billing profile ${quoted(each)}`)
  }
  for (const member of input.members)
    checkProfiles(member.line, 'memberProfiles', member.billingProfiles ?? [])
  for (const notices of input.notices) checkProfiles(notices.line, 'noticesProfile', [notices.profile])
  if (isWithoutAdmin(input, before)) lack(line, 'roles', `would leave ${id} without an Admin`)
  const members = new Map(before.members.map((member) => [member.email.toLowerCase(), member]))
  const changes = [
    change('customer', id, naming, stored),
    ...profileChanges(input, before, lack),
    ...issuerChanges(input, before),
    ...input.members.map((member) => memberChange(member, members.get(member.email.toLowerCase()), lack)),
    ...input.notices.map((notices) => noticesChange(notices, before.notices)),
  ]
  return { changes, problems }
}

function profileChanges(input: CustomerInput, before: StoredCustomer, lack: Lack): Change[] {
  const profiles = new Map(before.profiles.map((profile) => [profile.id, profile]))
  return input.profiles.map(({ line, id, ...fields }) => {
    const storedProfile = profiles.get(id)
    if (!storedProfile && fields.name === undefined)
      lack(line, 'profileName', `is missing, and ${quoted(id)} is new`)
    return change('billing profile', id, fields, storedProfile)
  })
}

/** Returns the changes of issuers. An issuer with only a name is no change: invoices add issuer names themselves. */
function issuerChanges(input: CustomerInput, before: StoredCustomer): Change[] {
  const issuers = new Map(before.issuers.map((issuer) => [issuer.name, issuer]))
  return input.issuers.map(({ line: _, name, ...fields }) => {
    const storedIssuer = issuers.get(name)
    const isStated = storedIssuer !== undefined || Object.values(fields).some((value) => value != null)
    return isStated
      ? change('issuer', name, fields, storedIssuer)
      : { part: 'issuer', id: name, kind: 'unchanged', fields: [] }
  })
}

function memberChange(
  { line, email, ...fields }: MemberInput,
  storedMember: StoredCustomer['members'][number] | undefined,
  lack: Lack,
): Change {
  if (!storedMember && fields.name === undefined) lack(line, 'memberName', `is missing, and ${email} is new`)
  if (!storedMember && fields.roles === undefined) lack(line, 'roles', `is missing, and ${email} is new`)
  return change('member', email, fields, storedMember)
}

/** Returns whether the change removes the last member who manages members. */
function isWithoutAdmin(input: CustomerInput, { members }: StoredCustomer): boolean {
  const roles = new Map(
    members.filter(({ isDisabled }) => !isDisabled).map((one) => [one.email.toLowerCase(), one.roles]),
  )
  const hasAdmin = () => [...roles.values()].some((memberRoles) => memberRoles.includes('admin'))
  if (!hasAdmin()) return false
  const disabled = new Set(
    members.filter(({ isDisabled }) => isDisabled).map(({ email }) => email.toLowerCase()),
  )
  for (const { email, roles: memberRoles } of input.members)
    if (memberRoles && !disabled.has(email.toLowerCase())) roles.set(email.toLowerCase(), memberRoles)
  return !hasAdmin()
}

/**
 * Returns the change of notices. For invoices the file's kinds replace the stored ones; license notices are on or off
 * per address, regardless of billing profile.
 */
function noticesChange({ email, profile, kinds }: NoticesInput, stored: StoredCustomer['notices']): Change {
  const memberRows = stored.filter((row) => row.email.toLowerCase() === email.toLowerCase())
  const ofProfile = memberRows.find((row) => row.profile === profile)?.kinds ?? []
  const hasLicenses = memberRows.some((row) => row.profile === null)
  const ofInvoices = NOTICES.filter((kind) => kinds.includes(kind))
  const current = NOTICES.filter((kind) => ofProfile.includes(kind))
  const after = ofInvoices.length > 0 ? ofInvoices : current
  const licenses = hasLicenses || kinds.includes('licenses')
  const from = [...current, ...(hasLicenses ? ['licenses'] : [])]
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
  input: Readonly<Record<string, unknown>>,
  stored: object | undefined,
): Change {
  if (!stored) return { part, id, kind: 'new', fields: fieldsOf(input, {}) }
  const fields = fieldsOf(input, stored)
  return { part, id, kind: fields.length > 0 ? 'changed' : 'unchanged', fields }
}

function fieldsOf(input: Readonly<Record<string, unknown>>, stored: object): Change['fields'] {
  const before = stored as Readonly<Record<string, unknown>>
  return Object.entries(input)
    .filter(
      ([name, value]) =>
        value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name] ?? null),
    )
    .map(([name, to]) => ({ name, from: before[name] ?? null, to }))
}
