import 'server-only'
import { z } from 'zod'
import { change, remove } from '#lib/identity/members/change.ts'
import { addWithoutLink } from '#lib/identity/members/invite.ts'
import { holdsAll } from '#lib/identity/members/rules.ts'
import { snapshotOf } from '#lib/identity/members/serialize.ts'
import { lockMember } from '#lib/identity/members/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { isStorable, readPath } from './filter.ts'
import { entriesOf, type Step } from './patch.ts'
import { scimError } from './protocol.ts'
import { memberName, type Names } from './rules.ts'
import { checkVersion, serializeUser, type User } from './serialize.ts'
import { lockGroups, readUser, removeFromGroup, setUser } from './store.ts'

/** Options of a write: the If-Match header, and the request's id for the audit log. */
export type ChangeOptions = { ifMatch?: string | undefined; requestId: string }

/** Returns the user with this id. @throws Problem `not_found`, also for the id of another customer's member */
export async function userWith(tx: Transaction, { customerId }: Caller, id: string): Promise<User> {
  const row = await readUser(tx, customerId, id)
  if (!row) throw new Problem('not_found', 'There is no such user.')
  return serializeUser(row)
}

/** Adds a member without a password, a link or a role: groups grant their access. */
export async function createUser(
  tx: Transaction,
  caller: Caller,
  input: UserInput,
  { requestId }: ChangeOptions,
): Promise<User> {
  const { userName: email, externalId = null, givenName = null, familyName = null, active = true } = input
  if (email === undefined) throw scimError('invalidValue', 'userName is required, and is an email address.')
  const name = memberName(input, { name: email, givenName, familyName })
  const values = { email, name, roles: [], billingProfiles: [] }
  const id = await addWithoutLink(tx, caller, values, requestId)
  await setUser(tx, caller.customerId, id, { externalId, givenName, familyName })
  if (!active) await change(tx, caller, id, { requested: { disabled: true }, requestId })
  return userWith(tx, caller, id)
}

/**
 * Changes a member by the attributes of a directory.
 * @throws Problem `not_found`, `member_changed`, `last_admin`, `permission_denied` where an enabled member would have
 * more access than the token may grant, or a SCIM error
 */
export async function changeUser(
  tx: Transaction,
  caller: Caller,
  id: string,
  { input, ifMatch, requestId }: ChangeOptions & { input: UserInput },
): Promise<User> {
  const { customerId } = caller
  const locked = await lockMember(tx, customerId, id)
  const before = locked && (await readUser(tx, customerId, id))
  if (!before) throw new Problem('not_found', 'There is no such user.')
  checkVersion(serializeUser(before), ifMatch)
  const { userName, active } = input
  if (userName !== undefined && userName.toLowerCase() !== before.email.toLowerCase())
    throw scimError('mutability', 'userName stays: take the user away, and add the new address.')
  if (active && before.disabledAt !== null) checkEnabling(caller, snapshotOf(locked.member))
  const { externalId = before.externalId } = input
  const { givenName = before.givenName, familyName = before.familyName } = input
  await setUser(tx, customerId, id, { externalId, givenName, familyName })
  const requested = {
    name: memberName(input, before),
    ...(active === undefined ? {} : { disabled: !active }),
  }
  await change(tx, caller, id, { requested, requestId })
  return userWith(tx, caller, id)
}

/** Rejects enabling a member with roles that the token may not grant. */
function checkEnabling({ roles }: Caller, member: ReturnType<typeof snapshotOf>): void {
  if (holdsAll({ roles, billingProfiles: null }, member)) return
  throw new Problem(
    'permission_denied',
    'This user has roles that the token may not give. An Admin enables them.',
  )
}

/** Removes a member for good, and from all groups. @throws Problem `not_found`, `member_changed`, `last_admin` */
export async function deleteUser(
  tx: Transaction,
  caller: Caller,
  id: string,
  { ifMatch, requestId }: ChangeOptions,
): Promise<void> {
  const { customerId } = caller
  await lockGroups(tx, customerId)
  const locked = await lockMember(tx, customerId, id)
  const before = locked && (await readUser(tx, customerId, id))
  if (!before) throw new Problem('not_found', 'There is no such user.')
  checkVersion(serializeUser(before), ifMatch)
  await remove(tx, caller, id, requestId)
  await removeFromGroup(tx, customerId, undefined, [id])
}

/** Requested attributes of a user; undefined ones stay as they are. */
export type UserInput = Names & { userName?: string; externalId?: string | null; active?: boolean }

/** Read-only attributes: a request may contain them, without effect. */
const READ_ONLY = ['id', 'meta', 'schemas', 'groups']
const NAMES: Record<string, keyof Names> = {
  displayname: 'displayName',
  'name.formatted': 'formatted',
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
}

/** Returns the attributes of a whole user. @throws Problem `invalidValue` */
export function userOf(resource: Record<string, unknown>): UserInput {
  const steps = Object.entries(resource).flatMap(([name, value]): Step[] =>
    // Attributes of extensions may have any name.
    /^[\w$:.-]{1,300}$/.test(name) ? [{ ...readPath(name), op: 'replace', value, isNamed: false }] : [],
  )
  return userAfter(steps)
}

/** Returns the attributes after the steps of a PATCH. @throws Problem `invalidValue` or `mutability` */
export function userAfter(steps: readonly Step[]): UserInput {
  const input: UserInput = {}
  for (const step of steps) applyStep(input, step)
  return input
}

function applyStep(input: UserInput, { name, op, value: operand, isNamed }: Step): void {
  const value = op === 'remove' ? null : operand
  const part = NAMES[name]
  if (part) input[part] = textOf(name, value)
  else if (name === 'name') applyName(input, value)
  else if (name === 'externalid') input.externalId = textOf(name, value, 300)
  else if (name === 'username') input.userName = addressOf(value)
  else if (name === 'active') input.active = switchOf(value)
  else if (isNamed && READ_ONLY.includes(name))
    throw scimError('mutability', `${name} cannot be changed by a directory.`)
}

function applyName(input: UserInput, value: unknown): void {
  if (value === null) Object.assign(input, { formatted: null, givenName: null, familyName: null })
  else
    for (const [key, part] of entriesOf(value)) {
      const attribute = NAMES[`name.${key.toLowerCase()}`]
      if (attribute) input[attribute] = textOf(`name.${key}`, part)
    }
}

/** Returns the text of an attribute. @throws Problem `invalidValue` */
export function textOf(name: string, value: unknown, longest = 200): string | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value !== 'string' || value.length > longest || /\p{Cc}/u.test(value) || !isStorable(value))
    throw scimError('invalidValue', `${name.slice(0, 50)} must be text of at most ${longest} characters.`)
  return value.trim() || null
}

function addressOf(value: unknown): string {
  const address = z
    .email()
    .max(254)
    .safeParse(typeof value === 'string' ? value.trim() : value)
  if (!address.success) throw scimError('invalidValue', 'userName must be an email address.')
  return address.data
}

/** Parses a boolean, which Microsoft Entra ID sometimes writes as text. */
function switchOf(value: unknown): boolean {
  const text = typeof value === 'string' ? value.toLowerCase() : value
  if (text === true || text === 'true') return true
  if (text === false || text === 'false') return false
  throw scimError('invalidValue', 'active must be true or false.')
}
