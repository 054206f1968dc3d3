import { describe, expect, it } from 'vitest'
import { type Evidence, stateFromEvidence } from './reconcile-from-read.ts'

describe('provenState', () => {
  const DAY_MS = 24 * 60 * 60 * 1000
  const seen: Evidence = {
    from: 50,
    to: 55,
    read: 55,
    wasMoved: false,
    age: 1000,
    settleMs: 120_000,
    isOrdered: false,
    hadBefore: false,
  }
  const over = { ...seen, age: 120_001 }
  it.each<[string, Evidence, string]>([
    ['a read that shows the total proves it', seen, 'APPLIED'],
    [
      'also long after, and where somebody moved it between',
      { ...over, age: DAY_MS, wasMoved: true },
      'APPLIED',
    ],
    ['not where the read may be of a time when it was so before', { ...seen, hadBefore: true }, 'UNKNOWN'],
    ['the total before proves nothing while a write may be on its way', { ...seen, read: 50 }, 'UNKNOWN'],
    ['not even at the last moment', { ...seen, read: 50, age: 120_000 }, 'UNKNOWN'],
    ['and then it disproves it', { ...over, read: 50 }, 'FAILED'],
    ['unless somebody moved it meanwhile', { ...over, read: 50, wasMoved: true }, 'UNCLEAR'],
    ['a third total proves nothing', { ...seen, read: 60 }, 'UNKNOWN'],
    ['and never will', { ...over, read: 60 }, 'UNCLEAR'],
    ['nor does a subscription that is hidden', { ...seen, read: 'hidden' }, 'UNKNOWN'],
    ['however long it is', { ...over, read: 'hidden' }, 'UNCLEAR'],
    ['a vendor that does not answer is waited for', { ...over, age: DAY_MS, read: 'unanswered' }, 'UNKNOWN'],
    ['for a day', { ...over, age: DAY_MS + 120_001, read: 'unanswered' }, 'UNCLEAR'],
    ['an order that was taken is waited for', { ...over, age: DAY_MS, read: 50, isOrdered: true }, 'UNKNOWN'],
    [
      'for a day; then the total before does not disprove it',
      { ...over, age: DAY_MS + 120_001, read: 50, isOrdered: true },
      'UNCLEAR',
    ],
    ['an order that was done is seen', { ...seen, isOrdered: true }, 'APPLIED'],
  ])('%s', (_, evidence, state) => {
    expect(stateFromEvidence(evidence)).toBe(state)
  })
})
