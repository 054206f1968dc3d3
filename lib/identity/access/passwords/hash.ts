import 'server-only'
import { createHash, timingSafeEqual } from 'node:crypto'
import { type Algorithm, hash } from '@node-rs/argon2'
import { gate } from '#lib/platform/runtime/concurrency.ts'
import type { Person } from '../people/rules.ts'

// OWASP's second choice of parameters: 19 MiB, 2 passes, 1 lane.
const OPTIONS = { algorithm: 2 satisfies Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Argon2id in PHC's text: parameters, salt and digest. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$[A-Za-z0-9+/]+$/

/**
 * Argon2id of a password, with its salt and parameters in the text.
 * @param salt where somebody has several passwords: see `saltOf`
 */
export function hashPassword(password: string, salt?: Uint8Array): Promise<string> {
  return hash(password.normalize('NFC'), { ...OPTIONS, ...(salt ? { salt } : {}) })
}

/**
 * The salt that all passwords of a person share: one computation then compares with all of them, and so the time of an
 * answer does not tell of how many customers somebody is a member.
 */
export function saltOf({ passwordHash, memberships, personId }: Person): Uint8Array | undefined {
  for (const stored of [passwordHash, ...memberships.map((one) => one.passwordHash)]) {
    const salt = PHC.exec(stored ?? '')?.[4]
    if (salt !== undefined) return Buffer.from(salt, 'base64')
  }
  // Two first passwords may be set at one moment.
  return personId === null
    ? undefined
    : createHash('sha256').update(`salt ${personId}`).digest().subarray(0, 16)
}

/** Each takes a thread of four, and 19 MiB: however many sign in at once, exports and files have the others. */
const enter = gate({ atOnce: 2, waiting: 60, timeoutMs: 5000 })

let decoy: Promise<string> | undefined

/**
 * Which of somebody's passwords it is. Takes the same time where there is none, so that names can't be probed.
 * @param storedHashes as texts of Argon2id, of one person
 * @throws Problem `service_unavailable`, where too many are looked at
 */
export async function fittingOf(
  password: string,
  storedHashes: readonly string[],
): Promise<string | undefined> {
  decoy ??= hashPassword('nobody has this password')
  const nobodys = await decoy
  // One group, but for what is no text of ours.
  const groups = Map.groupBy(storedHashes.length > 0 ? storedHashes : [nobodys], saltAndParameters)
  const leave = await enter()
  let fitting: string | undefined
  try {
    for (const [first = nobodys, ...others] of groups.values()) {
      const made = await again(password, PHC.test(first) ? first : nobodys)
      const same = [first, ...others].find((one) => isSame(one, made))
      fitting ??= same
    }
  } finally {
    leave()
  }
  return fitting !== undefined && storedHashes.includes(fitting) ? fitting : undefined
}

/**
 * Whether the password fits; it takes the same time where there is none.
 * @throws Problem `service_unavailable`, where too many are looked at
 */
export async function passwordFits(
  password: string,
  storedHash: string | null | undefined,
): Promise<boolean> {
  return (await fittingOf(password, storedHash ? [storedHash] : [])) !== undefined
}

function saltAndParameters(storedHash: string): string {
  return storedHash.slice(0, storedHash.lastIndexOf('$'))
}

function again(password: string, like: string): Promise<string> {
  const [, memoryCost, timeCost, parallelism, salt = ''] = PHC.exec(like) ?? []
  const costs = {
    memoryCost: Number(memoryCost),
    timeCost: Number(timeCost),
    parallelism: Number(parallelism),
  }
  return hash(password.normalize('NFC'), { ...OPTIONS, ...costs, salt: Buffer.from(salt, 'base64') })
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
