import { beforeEach } from 'vitest'
import { DEEP } from '../fakes/deep.ts'
import { randomFrom } from './writers.ts'

/** Whether this run has its full length: `npm run test:deep` and `npm run fuzz` ask for it. */
export const FULL = DEEP || process.env.FUZZ === 'full'

/** The seed of this run: FUZZ_SEED, or another one in each run. */
const SEED = Number(process.env.FUZZ_SEED) || 1 + Math.floor(Math.random() * 999_999)

/** Numbers in [0, 1) by the seed of this run. What differs in `use` gets other numbers. */
export function randomOfRun(use: string): () => number {
  return randomFrom(seedOfRun(use))
}

/** A whole number by the seed of this run, and another one for each `use`. */
export function seedOfRun(use: string): number {
  return [...use].reduce((mixed, letter) => (Math.imul(mixed, 31) + letter.charCodeAt(0)) | 0, SEED)
}

/**
 * Prints the seed of this run, and after each test that failed how to repeat the run. The faults come in the same
 * order then; which call meets which of them depends on the order of the calls, as far as they run at once.
 * @param file of the tests, from the project's folder
 */
export function printSeed(file: string): void {
  console.log(`${file}: seed ${SEED}`)
  const settings = `FUZZ_SEED=${SEED}${FULL ? ' DEEP=1' : ''}`
  beforeEach(({ task, onTestFailed }) => {
    onTestFailed(() => console.error(`“${task.name}” failed. To repeat: ${settings} npx vitest run ${file}`))
  })
}
