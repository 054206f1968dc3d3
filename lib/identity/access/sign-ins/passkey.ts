import 'server-only'
import type { Assertion } from '../../second-factors/contract.ts'
import { answeredBy, SIGN_IN } from '../factors/passkeys.ts'
import { provenBy } from '../factors/rules.ts'
import { findPasskey, takeCounter } from '../factors/secrets.ts'
import { findPersonById } from '../people/look-up.ts'
import { proofOfPasskey } from '../people/proofs.ts'
import { browserOf, proceed, REFUSED, type SignedIn, type Visitor } from '../sign-in.ts'
import { traceFailure } from './traces.ts'

/** Proves who it is by a passkey alone, which has made sure who holds it. */
export async function signInByPasskey(answer: Assertion, visitor: Visitor): Promise<SignedIn> {
  const passkey = await findPasskey(answer.id)
  const person = passkey && (await findPersonById(passkey.personId, browserOf(visitor)))
  const factor = person?.factors.find(({ id }) => id === passkey?.id)
  const answered = passkey && (await answeredBy(SIGN_IN, answer, passkey))
  const isProven = passkey && answered?.isVerified && (await takeCounter(passkey.id, answered.counter))
  if (!person || !factor || !isProven) {
    traceFailure(person, 'failed', 'passkey')
    return REFUSED
  }
  const proven = ['passkey', ...provenBy(factor)]
  return proceed(person, { proof: proofOfPasskey(factor), proven }, visitor)
}
