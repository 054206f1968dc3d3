import { beforeEach } from 'vitest'
import { DEEP } from '../fakes/deep.ts'
import { randomFrom } from './writers.ts'

/** Whether this run has its full length: `npm run fuzz` requests it. */
export const FULL = process.env.FUZZ === 'full'

/** Returns the count for `npm test`, for `npm run test:deep`, or for `npm run fuzz`. */
export function countOf([quick, deep, full]: readonly [quick: number, deep: number, full: number]): number {
  return FULL ? full : DEEP ? deep : quick
}

/** The seed of this run: FUZZ_SEED, or a random one. */
export const SEED = Number(process.env.FUZZ_SEED) || 1 + Math.floor(Math.random() * 999_999)

/** Returns one of the items, by the seed of this run; a deep run takes all of them. */
export function oneOf<T>(items: readonly T[]): readonly T[] {
  return DEEP ? items : items.filter((_, index) => index === SEED % items.length)
}

/** Returns a generator of numbers in [0, 1) from the seed of this run. Each `use` gets different numbers. */
export function randomOfRun(use: string): () => number {
  return randomFrom(seedOfRun(use))
}

/** Returns an integer from the seed of this run, a different one for each `use`. */
export function seedOfRun(use: string): number {
  return [...use].reduce((mixed, letter) => (Math.imul(mixed, 31) + letter.charCodeAt(0)) | 0, SEED)
}

/**
 * Prints the seed of this run, and after each failed test how to repeat the run. A repeated run has the faults in the
 * same order; which call meets which fault depends on the order of concurrent calls.
 * @param file of the tests, from the project's folder
 */
export function printSeed(file: string): void {
  console.log(`${file}: seed ${SEED}`)
  const settings = `FUZZ_SEED=${SEED}${FULL ? ' FUZZ=full' : ''}${DEEP ? ' DEEP=1' : ''}`
  beforeEach(({ task, onTestFailed }) => {
    onTestFailed(() => console.error(`“${task.name}” failed. To repeat: ${settings} npx vitest run ${file}`))
  })
}
