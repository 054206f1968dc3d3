import 'server-only'
import { randomBytes } from 'node:crypto'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { database } from '#lib/platform/db/client.ts'
import type { StoredPasskey } from './passkeys.ts'
import { type Factor, RECOVERY_CODES } from './rules.ts'

// Secrets and counters of factors are read and written by the database role of sign-in, which has the exclusive right.

export type StoredApp = { id: string; secret: string }

/** Returns the apps among these factors. */
export async function findApps(factors: readonly Factor[]): Promise<StoredApp[]> {
  const ids = factors.map(({ id }) => id)
  const apps = "SELECT id, secret FROM second_factors WHERE id = ANY($1::text[]) AND kind = 'totp'"
  return (await database().signIn.query<StoredApp>(apps, [ids])).rows
}

/** Finds a passkey and its owner. @param credential its id as the browser sends it */
export async function findPasskey(
  credential: string,
): Promise<(StoredPasskey & { id: string; personId: string }) | undefined> {
  const { rows } = await database().signIn.query<{
    id: string
    personId: string
    publicKey: string
    counter: string
  }>(
    `SELECT id, person_id AS "personId", public_key AS "publicKey", counter FROM second_factors WHERE credential = $1`,
    [credential],
  )
  return rows[0] && { ...rows[0], credential, counter: Number(rows[0].counter) }
}

/** Consumes a time step of an app and all steps before it. @returns false where the step was consumed before */
export async function consumeStep(id: string, step: number): Promise<boolean> {
  const query = `
    UPDATE second_factors SET last_step = $2, last_used_at = now()
    WHERE id = $1 AND (last_step IS NULL OR last_step < $2)`
  return (await database().signIn.query(query, [id, step])).rowCount === 1
}

/**
 * Stores the counter of a passkey.
 * @returns false where the counter does not increase; passkeys without a counter stay at 0
 */
export async function advanceCounter(id: string, counter: number): Promise<boolean> {
  const query = `
    UPDATE second_factors SET counter = $2, last_used_at = now()
    WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0))`
  return (await database().signIn.query(query, [id, counter])).rowCount === 1
}

export type StoredCode = { id: string; reach: string | null; createdAt: Date }

/** Finds an unused recovery code of a person. */
export async function findCode(personId: string, code: string): Promise<StoredCode | undefined> {
  const { rows } = await database().signIn.query<StoredCode>(
    `SELECT id, reach, created_at AS "createdAt" FROM recovery_codes WHERE digest = $1 AND used_at IS NULL`,
    [digestOfCode(personId, code)],
  )
  return rows[0]
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns new codes of 80 random bits each, formatted as `ABCD-EFGH-IJKL-MNOP`. */
export function newCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = Array.from(randomBytes(16), (byte) => LETTERS[byte % LETTERS.length])
    return letters.join('').replaceAll(/(.{4})(?=.)/g, '$1-')
  })
}

/** Returns the digest to store for a recovery code. @param code without its hyphens */
export function digestOfCode(personId: string, code: string): string {
  return digestOf(`recovery code of ${personId} ${code}`)
}
