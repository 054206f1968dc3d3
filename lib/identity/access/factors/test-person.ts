import { encode } from 'next-auth/jwt'
import { Secret, TOTP } from 'otpauth'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { findSessionCaller, sessionSecret } from '#lib/platform/caller/session.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import { addMember } from '#lib/platform/db/test-rows.ts'
import { hashPassword } from '../passwords/hash.ts'
import { type SignedIn, signIn } from '../sign-in.ts'
import { pendingCookie } from '../sign-ins/pending.ts'
import { proveStep } from '../sign-ins/steps.ts'
import { settingUpIn, setUp } from './set-up.ts'
import { newSecret } from './totp.ts'

// Person who signs in, for tests of second factors.

export const PASSWORD = 'correct horse battery'
export const client = (cookies = '') => ({ address: '192.0.2.1', userAgent: 'Test', cookies })

/** Returns the code of an app at a number of time steps from now. */
export function codeOf(secret: string, steps = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) })
  return totp.generate({ timestamp: Date.now() + steps * 30_000 })
}

/** Adds a member of a customer, who signs in with PASSWORD. */
export function join(customer: string, email: string, more: object = {}) {
  return addMember(customer, { roles: ['admin'], email, name: `Ana at ${customer}`, ...more })
}

export const enter = (email: string, password = PASSWORD) => signIn({ email, password }, client())

/** Returns the cookie of a pending sign-in. */
export function pendingOf(outcome: SignedIn | { kind: 'ended' }): string {
  if (outcome.kind !== 'pending') throw new Error(outcome.kind)
  return pendingCookie(outcome.id).split(';')[0] ?? ''
}

export function sidOf(outcome: SignedIn | { kind: 'ended' }): string {
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
  return outcome.sid
}

export async function cookieOf(sid: string): Promise<string> {
  return `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
}

export async function callerOf(sid: string) {
  const caller = await findSessionCaller(digestOf(sid))
  if (!caller) throw new Error('The session has ended.')
  return caller
}

/** Sets up an app in a session. @returns its secret */
export async function addApp(sid: string): Promise<string> {
  const caller = await callerOf(sid)
  const { customerId, id: memberId, session: owner = '' } = caller
  const { secret, token } = newSecret(owner, caller)
  const { proven } = await settingUpIn(caller)
  const newFactor = { kind: 'totp' as const, name: 'App', token, code: codeOf(secret) }
  await setUp({ customerId, memberId, proven, owner, exceptSession: owner }, newFactor)
  return secret
}

/** Signs in with password and code, at a time step whose code is unused. */
export async function enterWith(email: string, code: string, password = PASSWORD): Promise<string> {
  return sidOf(await proveStep({ code }, client(pendingOf(await enter(email, password)))))
}

/** Sets a password that opens one membership only, like a copied link. */
export async function setMembershipPassword(
  database: TestDatabase,
  customer: string,
  email: string,
  password: string,
) {
  const set = 'UPDATE members SET password_hash = $2 WHERE email = $1'
  await database.sql(customer, set, [email, await hashPassword(password)])
}
