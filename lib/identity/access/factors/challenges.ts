import 'server-only'
import { randomBytes } from 'node:crypto'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { database } from '#lib/platform/db/client.ts'
import { isSigned, sign } from '#lib/platform/runtime/secrets.ts'

// A passkey signs a challenge of ours. It says itself until when it counts, and that we have made it, so that whoever only
// asks for one writes nothing; one that was answered rightly is written down, and counts no more.

const SECONDS = 5 * 60
const RANDOM = 16
const TIME = 6

const PURPOSE = 'challenges of passkeys'

/** @param use what it is for, and whose it is: an answer counts for nothing else */
export function newChallenge(use: string, now = Date.now()): Uint8Array<ArrayBuffer> {
  const time = Buffer.alloc(TIME)
  time.writeUIntBE(now + SECONDS * 1000, 0, TIME)
  const head = Buffer.concat([time, randomBytes(RANDOM)])
  return new Uint8Array(Buffer.concat([head, sign(PURPOSE, head, use)]))
}

/** Whether a challenge is one of ours for this use, which still counts. @param given in base64url */
export function isOurs(use: string, given: string, now = Date.now()): boolean {
  const bytes = Buffer.from(given, 'base64url')
  if (bytes.length !== TIME + RANDOM + 32) return false
  const head = bytes.subarray(0, TIME + RANDOM)
  return isSigned(bytes.subarray(TIME + RANDOM), PURPOSE, head, use) && head.readUIntBE(0, TIME) > now
}

/** Uses a challenge up. @returns false where that was done before: of two at the same moment, one does */
export async function spend(challenge: string): Promise<boolean> {
  const once = 'INSERT INTO spent_challenges (digest) VALUES ($1) ON CONFLICT DO NOTHING'
  return (await database().signIn.query(once, [digestOf(`challenge ${challenge}`)])).rowCount === 1
}

/** Removes those that would not count any more anyway. @returns how many */
export async function pruneChallenges(): Promise<number> {
  const old = `DELETE FROM spent_challenges WHERE at < now() - interval '${2 * SECONDS} seconds'`
  return (await database().signIn.query(old)).rowCount ?? 0
}
