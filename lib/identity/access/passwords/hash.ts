import 'server-only'
import { createHash, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { type Algorithm, hash } from '@node-rs/argon2'
import { gate } from '#lib/platform/runtime/concurrency.ts'
import type { Person } from '../people/rules.ts'

// OWASP's second set of parameters: 19 MiB, 2 passes, 1 lane.
const OPTIONS = { algorithm: 2 satisfies Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Argon2id hash in PHC format: parameters, salt and digest. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$[A-Za-z0-9+/]+$/

/**
 * Returns the Argon2id hash of a password, including its salt and parameters.
 * @param salt shared salt of a person with several passwords: see `saltOf`
 */
export function hashPassword(password: string, salt?: Uint8Array): Promise<string> {
  return hash(password.normalize('NFC'), { ...OPTIONS, ...(salt ? { salt } : {}) })
}

/**
 * Returns the salt that all passwords of a person share: one computation then compares all of them, so the response
 * time does not reveal the number of memberships (timing attack).
 */
export function saltOf({ passwordHash, memberships, personId }: Person): Uint8Array | undefined {
  for (const stored of [passwordHash, ...memberships.map((one) => one.passwordHash)]) {
    const salt = PHC.exec(stored ?? '')?.[4]
    if (salt !== undefined) return Buffer.from(salt, 'base64')
  }
  // Two first passwords may be set concurrently.
  return personId === null
    ? undefined
    : createHash('sha256').update(`salt ${personId}`).digest().subarray(0, 16)
}

/**
 * Limits concurrent hashes: each takes one of four threads, a processor and 19 MiB. The other threads stay free for
 * exports and files, and one processor for everything else.
 */
const enter = gate({ atOnce: hashesAtOnce(availableParallelism()), waiting: 60, timeoutMs: 5000 })

/** Returns how many hashes may be computed concurrently on a machine with this number of processors. */
export function hashesAtOnce(processors: number): number {
  return Math.max(1, Math.min(2, processors - 1))
}

let decoy: Promise<string> | undefined

/**
 * Returns the stored hash that the password matches. Takes the same time without any hash, so that accounts can't be
 * probed (timing attack).
 * @param storedHashes Argon2id hashes of one person
 * @param isFirst whether the password comes from a known browser, which waits for no unknown one
 * @throws Problem `service_unavailable`, where too many hashes are being computed
 */
export async function fittingOf(
  password: string,
  storedHashes: readonly string[],
  isFirst = false,
): Promise<string | undefined> {
  decoy ??= hashPassword('nobody has this password')
  const nobodys = await decoy
  // One group for all hashes with the same salt; unparsable ones are skipped.
  const groups = Map.groupBy(storedHashes.length > 0 ? storedHashes : [nobodys], saltAndParameters)
  const leave = await enter(isFirst)
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
 * Returns whether the password matches; takes the same time without a hash.
 * @throws Problem `service_unavailable`, where too many hashes are being computed
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
