import { InvalidArgumentError } from 'commander'
import { platformTable } from '#lib/imports/focus/platforms.ts'
import { expectationsOf } from '#lib/imports/report/expectations.ts'
import { collect } from '../command.ts'

// Options that may be given several times, and what is checked of them.

const MOST_TAGS = 20

/** Pairs of a provider and its platform. */
export function collectPair(pair: string, before?: string[]): string[] {
  return collected(pair, before, platformTable)
}

/** Keys of tags. */
export function collectTag(key: string, before: string[] = []): string[] {
  return collected(key, before, (keys) => {
    if (keys.length > MOST_TAGS) throw new Error(`Give at most ${MOST_TAGS} keys.`)
  })
}

/** What is known of the files. */
export function collectExpectation(text: string, before?: string[]): string[] {
  return collected(text, before, expectationsOf)
}

/** One value more, once all of them together have been looked at. */
function collected(
  value: string,
  before: string[] | undefined,
  check: (values: string[]) => unknown,
): string[] {
  const values = collect(value, before)
  try {
    check(values)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
  return values
}

/** Whole days. */
export function daysOf(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(days <= 3650)) throw new InvalidArgumentError('Give whole days, 0 to 3650.')
  return days
}
