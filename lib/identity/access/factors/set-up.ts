import 'server-only'
import { errorCode, Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { NewFactor } from '../../second-factors/contract.ts'
import { refusedAt } from '../passwords/attempts.ts'
import { changePerson, type Locked } from '../people/change.ts'
import { findPersonOf } from '../people/look-up.ts'
import { findSessionProof } from '../people/proofs.ts'
import type { Membership } from '../people/rules.ts'
import { endUnproven, inUse, partOf } from './change.ts'
import { madePasskey } from './passkeys.ts'
import { countsAt, MOST_FACTORS, type Reaching, reachOfNew } from './rules.ts'
import { addFactor, type NewRow, noteFactor } from './store.ts'
import { keptSecretOf, shownSecret, stepOf } from './totp.ts'

/** Who sets a factor up, in a session or on the way to one. */
export type SettingUp = {
  customerId: CustomerId
  memberId: string
  /** All that they have proven. */
  proven: readonly string[]
  /** Names the session or the pending sign-in: what was shown or asked for there counts there alone. */
  owner: string
  /** Digest of the session that goes on; the others in which the new factor was not proven end. */
  keep?: string
}

type Added = Reaching & { id: string }

/** The use of the challenge with which a passkey is made. */
export const makingBy = (owner: string) => `made by ${owner}`

/**
 * Sets a factor up, where it is shown to work. From then on sign-in asks for it wherever it counts.
 * @returns its id, and where it counts: reach null wherever its person is a member
 * @throws Problem `invalid_request` at what is wrong
 */
export async function setUp(who: SettingUp, given: NewFactor): Promise<Added> {
  const make = await tried(who.owner, given)
  const { customerId, memberId, keep = '' } = who
  let added: Added | undefined
  await changePerson(
    () => findPersonOf(customerId, memberId),
    async (_, person) => {
      const own = person.memberships.find((one) => one.customerId === customerId)
      if (!own) throw new Problem('not_found')
      const reach = reachFor(person, own, who, given)
      const createdAt = new Date()
      const there = inUse(person.memberships).filter((one) => countsAt({ reach, createdAt }, one))
      const details = { kind: given.kind === 'totp' ? 'app' : 'passkey', name: given.name }
      return there.map((one) =>
        partOf(one, { action: 'factor.added', mail: 'factor-added', details }, async (tx) => {
          if (one === own) {
            const row = { personId: person.personId, reach, name: given.name, ...make(person.personId) }
            added = await addFactor(tx, row as NewRow).catch(refuseDouble)
            await noteFactor(tx, customerId, keep, added)
          }
          await endUnproven(tx, one, [reach, ...one.factors.map((factor) => factor.reach)], keep)
        }),
      )
    },
  )
  if (!added) throw new Problem('not_found')
  return added
}

/** What is known of a signed-in member who sets a factor up: what was proven in the session, and what they have. */
export async function settingUpIn({ customerId, id, session = '' }: Caller) {
  const [proof, person] = await Promise.all([
    findSessionProof(customerId, session),
    findPersonOf(customerId, id),
  ])
  const own = person?.memberships.find((one) => one.customerId === customerId)
  const proven = proof?.proven ?? []
  const reach = person && own ? reachOfNew(person.factors, { customerId, isOwn: own.isOwn, proven }) : null
  return { proven, present: own?.factors ?? [], whose: `${person?.personId} ${reach ?? ''}` }
}

/** Whether it works; and how it is kept, once it is known whose it is. */
async function tried(owner: string, given: NewFactor) {
  if (given.kind === 'passkey') {
    const made = await madePasskey(makingBy(owner), given.passkey)
    if (!made) throw refusedAt('/passkey', 'could not be checked: begin again')
    return () => ({ kind: 'passkey' as const, ...made })
  }
  const secret = shownSecret(owner, given.token)
  if (secret === undefined) throw refusedAt('/token', 'was shown too long ago: begin again')
  const code = given.code.replaceAll(/[\s-]/g, '')
  const lastStep = /^\d{6}$/.test(code) ? stepOf(secret, code) : undefined
  if (lastStep === undefined) throw refusedAt('/code', 'is not the code that the app shows now')
  return (personId: string) => ({ kind: 'totp' as const, secret: keptSecretOf(personId, secret), lastStep })
}

function reachFor(person: Locked, own: Membership, { proven }: SettingUp, given: NewFactor): string | null {
  const { customerId, isOwn } = own
  const reach = reachOfNew(person.factors, { customerId, isOwn, proven })
  const beside = person.factors.filter((one) => one.reach === reach)
  if (beside.length >= MOST_FACTORS) throw refusedAt('/kind', `you have ${MOST_FACTORS} already: remove one`)
  if (given.kind === 'totp' && beside.some(({ kind }) => kind === 'totp'))
    throw refusedAt('/kind', 'you have an app already: remove it first')
  return reach
}

function refuseDouble(error: unknown): never {
  if (errorCode(error) === '23505') throw refusedAt('/kind', 'is set up already')
  throw error
}
