import 'server-only'
import { randomUUID } from 'node:crypto'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { visit } from '#lib/platform/runtime/log.ts'
import type { Given } from '../../second-factors/contract.ts'
import { changePerson, type Part } from '../people/change.ts'
import { findPersonById } from '../people/look-up.ts'
import type { Membership } from '../people/rules.ts'
import { tellMember } from '../sign-ins/account-mail.ts'
import { countFactorAttempt } from '../sign-ins/budgets.ts'
import { answeredBy } from './passkeys.ts'
import { codeOf, countsAt, type Factor, provenBy, type Reaching } from './rules.ts'
import { findApps, findCode, findPasskey, takeCounter, takeStep } from './secrets.ts'
import { spendCode } from './store.ts'
import { stepOfKept } from './totp.ts'

/** Who proves a factor, and the memberships at which it may count. */
export type Prover = { personId: string; memberships: readonly Membership[] }

/** `proven`: as it is written down of the factor, or of the recovery code. What is wrong, used and unknown is `refused` alike. */
export type Proved =
  | { kind: 'proven'; proven: string[]; factor: Reaching }
  | { kind: 'refused' }
  | { kind: 'throttled'; seconds: number }

/** The use of the challenge by which a passkey confirms, in a session, who is there. */
export const proofIn = (session: string) => `proof in ${session}`

const REFUSED: Proved = { kind: 'refused' }

/**
 * Compares what somebody gives for a second factor, and uses it up. Codes can be guessed: each attempt is counted before it
 * is compared, for all places and sign-ins of the person together.
 * @param use of the challenge that a passkey answers
 */
export async function proveFactor(prover: Prover, given: Given, use: string): Promise<Proved> {
  if ('passkey' in given) return provePasskey(prover, given.passkey, use)
  const attempt = await countFactorAttempt(prover.personId)
  if (attempt.kind === 'throttled') return attempt
  const code = codeOf(given.code)
  if (!code) return REFUSED
  const proved = await (code.kind === 'totp' ? proveApp(prover, code.code) : proveCode(prover, code.code))
  if (proved.kind === 'proven') await attempt.forgive()
  return proved
}

async function proveApp(prover: Prover, code: string): Promise<Proved> {
  const factors = factorsOf(prover)
  for (const app of await findApps(factors)) {
    const step = stepOfKept(prover.personId, app.secret, code)
    if (step !== undefined && (await takeStep(app.id, step))) return provenOf(factors, app.id)
  }
  return REFUSED
}

async function provePasskey(
  prover: Prover,
  answer: Extract<Given, { passkey: unknown }>['passkey'],
  use: string,
) {
  const factors = factorsOf(prover)
  const passkey = await findPasskey(answer.id)
  if (!passkey || passkey.personId !== prover.personId || !factors.some(({ id }) => id === passkey.id))
    return REFUSED
  const answered = await answeredBy(use, answer, passkey)
  if (!answered || !(await takeCounter(passkey.id, answered.counter))) return REFUSED
  return provenOf(factors, passkey.id)
}

/** A recovery code is used up in the scope of a customer at whom it counts, with a row in the history of each. */
async function proveCode({ personId, memberships }: Prover, code: string): Promise<Proved> {
  const found = await findCode(personId, code)
  if (!found || !memberships.some((one) => one.factors.length > 0 && countsAt(found, one))) return REFUSED
  let isUsed = false
  await changePerson(
    () => findPersonById(personId),
    async (_, person) => {
      const there = person.memberships.filter(
        (one) => countsAt(found, one) && !one.isDisabled && !one.isInvited,
      )
      const [first] = there.toSorted((a, b) => (a.customerId < b.customerId ? -1 : 1))
      return there.map(partOf).map(({ customerId, run }) => ({
        customerId,
        async run(tx) {
          // Once, in the first scope: the others see that it was.
          if (customerId === first?.customerId) isUsed = await spendCode(tx, personId, found.id)
          if (isUsed) await run(tx)
        },
      }))
    },
  )
  return isUsed ? { kind: 'proven', proven: provenBy(found), factor: found } : REFUSED
}

function partOf({ customerId, memberId, name }: Membership): Part {
  return {
    customerId,
    async run(tx) {
      const here = visit()
      const from = here && { address: here.address, userAgent: here.agent ?? '' }
      const actor = { kind: 'member', id: memberId, name } as const
      const requestId = here?.requestId ?? randomUUID()
      await recordAudit(tx, customerId, { action: 'recovery-code.used', subject: memberId, actor, requestId })
      await tellMember(tx, customerId, memberId, 'recovery-code-used', from)
    },
  }
}

function factorsOf({ memberships }: Prover): Factor[] {
  return [...new Set(memberships.flatMap(({ factors }) => factors))]
}

function provenOf(factors: readonly Factor[], id: string): Proved {
  const factor = factors.find((one) => one.id === id)
  return factor ? { kind: 'proven', proven: provenBy(factor), factor } : REFUSED
}
