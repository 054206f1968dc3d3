import 'server-only'
import { randomUUID } from 'node:crypto'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'
import type { FactorCredential } from '../../second-factors/contract.ts'
import { changePerson, type MembershipTask } from '../people/change.ts'
import { findPersonById } from '../people/find-person.ts'
import type { Membership } from '../people/rules.ts'
import { notifyMember } from '../sign-ins/account-mail.ts'
import { countFactorAttempt } from '../sign-ins/throttling.ts'
import { answeredBy } from './passkeys.ts'
import { codeOf, countsAt, type Factor, type Reaching, verifiedMethodsOf } from './rules.ts'
import { advanceCounter, consumeStep, findApps, findCode, findPasskey } from './secrets.ts'
import { consumeCode } from './store.ts'
import { stepOfSealed } from './totp.ts'

/** Person who proves a factor, with the memberships at which the factor may count. */
export type Prover = { personId: string; memberships: readonly Membership[] }

/**
 * `proven`: the verified methods to store for the factor or the recovery code. Wrong, used and unknown credentials are
 * all `refused`.
 */
export type Proved =
  | { kind: 'proven'; proven: string[]; factor: Reaching }
  | { kind: 'refused' }
  | { kind: 'throttled'; seconds: number }

/** Returns the use of the challenge with which a passkey confirms the member's identity in a session. */
export const reauthenticationIn = (session: string) => `proof in ${session}`

const DENIED: Proved = { kind: 'refused' }

/**
 * Verifies a second factor and consumes it. To limit guessing, each attempt at a code is counted before the comparison,
 * over all sources and sign-ins of the person.
 * @param use of the challenge that a passkey answers
 */
export async function proveFactor(
  prover: Prover,
  credential: FactorCredential,
  use: string,
): Promise<Proved> {
  if ('passkey' in credential) return provePasskey(prover, credential.passkey, use)
  const attempt = await countFactorAttempt(prover.personId)
  if (attempt.kind === 'throttled') return attempt
  const code = codeOf(credential.code)
  if (!code) return DENIED
  const proved = await (code.kind === 'totp' ? proveApp(prover, code.code) : proveCode(prover, code.code))
  if (proved.kind === 'proven') await attempt.refund()
  return proved
}

async function proveApp(prover: Prover, code: string): Promise<Proved> {
  const factors = factorsOf(prover)
  for (const app of await findApps(factors)) {
    const step = stepOfSealed(prover.personId, app.secret, code)
    if (step !== undefined && (await consumeStep(app.id, step))) return verifiedResult(factors, app.id)
  }
  return DENIED
}

async function provePasskey(
  prover: Prover,
  answer: Extract<FactorCredential, { passkey: unknown }>['passkey'],
  use: string,
) {
  const factors = factorsOf(prover)
  const passkey = await findPasskey(answer.id)
  if (!passkey || passkey.personId !== prover.personId || !factors.some(({ id }) => id === passkey.id))
    return DENIED
  const answered = await answeredBy(use, answer, passkey)
  if (!answered || !(await advanceCounter(passkey.id, answered.counter))) return DENIED
  return verifiedResult(factors, passkey.id)
}

/**
 * Consumes a recovery code in the scope of a customer at which it counts, with an audit event of each such customer.
 */
async function proveCode({ personId, memberships }: Prover, code: string): Promise<Proved> {
  const recoveryCode = await findCode(personId, code)
  if (!recoveryCode || !memberships.some((one) => one.factors.length > 0 && countsAt(recoveryCode, one)))
    return DENIED
  let isUsed = false
  await changePerson(
    () => findPersonById(personId),
    async (_, person) => {
      const there = person.memberships.filter(
        (one) => countsAt(recoveryCode, one) && !one.isDisabled && !one.isInvited,
      )
      const [first] = there.toSorted((a, b) => (a.customerId < b.customerId ? -1 : 1))
      return there.map(taskFor).map(({ customerId, run }) => ({
        customerId,
        async run(tx) {
          // The code is consumed in the first scope; the others read the result.
          if (customerId === first?.customerId) isUsed = await consumeCode(tx, personId, recoveryCode.id)
          if (isUsed) await run(tx)
        },
      }))
    },
  )
  return isUsed ? { kind: 'proven', proven: verifiedMethodsOf(recoveryCode), factor: recoveryCode } : DENIED
}

function taskFor({ customerId, memberId, name }: Membership): MembershipTask {
  return {
    customerId,
    async run(tx) {
      const here = requestContext()
      const from = here && { address: here.address, userAgent: here.agent ?? '' }
      const actor = { kind: 'member', id: memberId, name } as const
      const requestId = here?.requestId ?? randomUUID()
      await recordAudit(tx, customerId, { action: 'recovery-code.used', subject: memberId, actor, requestId })
      await notifyMember(tx, customerId, memberId, { event: 'recovery-code-used', from })
    },
  }
}

function factorsOf({ memberships }: Prover): Factor[] {
  return [...new Set(memberships.flatMap(({ factors }) => factors))]
}

function verifiedResult(factors: readonly Factor[], id: string): Proved {
  const factor = factors.find((one) => one.id === id)
  return factor ? { kind: 'proven', proven: verifiedMethodsOf(factor), factor } : DENIED
}
