import 'server-only'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { NewFactor } from '../../second-factors/contract.ts'
import { invalidAt } from '../passwords/current-password.ts'
import { changePerson, type Locked } from '../people/change.ts'
import { findPersonOf } from '../people/find-person.ts'
import type { Membership } from '../people/rules.ts'
import { findSessionCredential } from '../people/session-credential.ts'
import { endUnproven, inUse, taskFor } from './change.ts'
import { madePasskey } from './passkeys.ts'
import { countsAt, MAX_FACTORS, type Reaching, scopeOfNewFactor } from './rules.ts'
import { addFactor, type NewRow, noteFactor } from './store.ts'
import { openNewSecret, sealSecret, stepOf } from './totp.ts'

/** Member who sets up a factor, in a session or during sign-in. */
export type SettingUp = {
  customerId: CustomerId
  memberId: string
  /** All verified methods. */
  proven: readonly string[]
  /** Identifies the session or the pending sign-in: secrets and challenges issued for it are valid there only. */
  owner: string
  /** Digest of the session that continues; other sessions without the new factor end. */
  exceptSession?: string
}

type Added = Reaching & { id: string }

/** Returns the use of the challenge with which a passkey is registered. */
export const makingBy = (owner: string) => `made by ${owner}`

/**
 * Sets up a factor after a check that it works. Sign-in requires the factor from then on, wherever it counts.
 * @returns its id and scope: reach null for all memberships of its person
 * @throws Problem `invalid_request` at the wrong field
 */
export async function setUp(who: SettingUp, newFactor: NewFactor): Promise<Added> {
  const make = await tried(who.owner, newFactor)
  const { customerId, memberId, exceptSession = '' } = who
  let added: Added | undefined
  await changePerson(
    () => findPersonOf(customerId, memberId),
    async (_, person) => {
      const membership = person.memberships.find((one) => one.customerId === customerId)
      if (!membership) throw new Problem('not_found')
      const factorScope = checkedScope(person, membership, who, newFactor)
      const createdAt = new Date()
      const there = inUse(person.memberships).filter((one) =>
        countsAt({ reach: factorScope, createdAt }, one),
      )
      const details = { kind: newFactor.kind === 'totp' ? 'app' : 'passkey', name: newFactor.name }
      return there.map((one) =>
        taskFor(one, { action: 'factor.added', mail: 'factor-added', details }, async (tx) => {
          if (one === membership) {
            const row = {
              personId: person.personId,
              reach: factorScope,
              name: newFactor.name,
              ...make(person.personId),
            }
            added = await addFactor(tx, row as NewRow).catch(rejectDuplicate)
            await noteFactor(tx, customerId, exceptSession, added)
          }
          await endUnproven(
            tx,
            one,
            [factorScope, ...one.factors.map((factor) => factor.reach)],
            exceptSession,
          )
        }),
      )
    },
  )
  if (!added) throw new Problem('not_found')
  return added
}

/**
 * Returns the context in which a signed-in member sets up a factor: the methods verified in the session, and the
 * member's factors.
 */
export async function settingUpIn({ customerId, id, session = '' }: Caller) {
  const [credential, person] = await Promise.all([
    findSessionCredential(customerId, session),
    findPersonOf(customerId, id),
  ])
  const membership = person?.memberships.find((one) => one.customerId === customerId)
  const verifiedMethods = credential?.proven ?? []
  const factorScope =
    person && membership
      ? scopeOfNewFactor(person.factors, { customerId, isOwn: membership.isOwn, proven: verifiedMethods })
      : null
  return {
    proven: verifiedMethods,
    present: membership?.factors ?? [],
    whose: `${person?.personId} ${factorScope ?? ''}`,
  }
}

/** Verifies that the factor works, and returns the function that makes its stored form for a person. */
async function tried(owner: string, newFactor: NewFactor) {
  if (newFactor.kind === 'passkey') {
    const made = await madePasskey(makingBy(owner), newFactor.passkey)
    if (!made) throw invalidAt('/passkey', 'could not be checked: begin again')
    return () => ({ kind: 'passkey' as const, ...made })
  }
  const secret = openNewSecret(owner, newFactor.token)
  if (secret === undefined) throw invalidAt('/token', 'was shown too long ago: begin again')
  const code = newFactor.code.replaceAll(/[\s-]/g, '')
  const lastStep = /^\d{6}$/.test(code) ? stepOf(secret, code) : undefined
  if (lastStep === undefined) throw invalidAt('/code', 'is not the code that the app shows now')
  return (personId: string) => ({ kind: 'totp' as const, secret: sealSecret(personId, secret), lastStep })
}

function checkedScope(
  person: Locked,
  membership: Membership,
  { proven }: SettingUp,
  newFactor: NewFactor,
): string | null {
  const { customerId, isOwn } = membership
  const factorScope = scopeOfNewFactor(person.factors, { customerId, isOwn, proven })
  const existing = person.factors.filter((one) => one.reach === factorScope)
  if (existing.length >= MAX_FACTORS) throw invalidAt('/kind', `you have ${MAX_FACTORS} already: remove one`)
  if (newFactor.kind === 'totp' && existing.some(({ kind }) => kind === 'totp'))
    throw invalidAt('/kind', 'you have an app already: remove it first')
  return factorScope
}

function rejectDuplicate(error: unknown): never {
  if (errorCode(error) === '23505') throw invalidAt('/kind', 'is set up already')
  throw error
}
