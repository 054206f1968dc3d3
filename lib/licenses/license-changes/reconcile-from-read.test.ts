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
    evidentMs: 120_000,
    isOrdered: false,
    hadBefore: false,
  }
  const over = { ...seen, age: 120_001 }
  it.each<[string, Evidence, string]>([
    ['a read of the requested total proves APPLIED', seen, 'APPLIED'],
    [
      'a read of the requested total proves APPLIED much later, even after a move by another user',
      { ...over, age: DAY_MS, wasMoved: true },
      'APPLIED',
    ],
    ['a read that may be of an earlier equal total proves nothing', { ...seen, hadBefore: true }, 'UNKNOWN'],
    ['the previous total proves nothing while a write may be in flight', { ...seen, read: 50 }, 'UNKNOWN'],
    ['the previous total proves nothing at the last moment', { ...seen, read: 50, age: 120_000 }, 'UNKNOWN'],
    ['the previous total proves FAILED afterwards', { ...over, read: 50 }, 'FAILED'],
    [
      'the previous total proves nothing after a move by another user',
      { ...over, read: 50, wasMoved: true },
      'UNCLEAR',
    ],
    ['a third total proves nothing within the settle time', { ...seen, read: 60 }, 'UNKNOWN'],
    ['a third total proves nothing afterwards', { ...over, read: 60 }, 'UNCLEAR'],
    ['a hidden subscription proves nothing within the settle time', { ...seen, read: 'hidden' }, 'UNKNOWN'],
    ['a hidden subscription proves nothing afterwards', { ...over, read: 'hidden' }, 'UNCLEAR'],
    [
      'a vendor that does not answer is waited for up to a day',
      { ...over, age: DAY_MS, read: 'unanswered' },
      'UNKNOWN',
    ],
    [
      'a vendor that does not answer for a day leaves the change unclear',
      { ...over, age: DAY_MS + 120_001, read: 'unanswered' },
      'UNCLEAR',
    ],
    [
      'an accepted order is waited for up to a day',
      { ...over, age: DAY_MS, read: 50, isOrdered: true },
      'UNKNOWN',
    ],
    [
      'an accepted order is unclear after a day, even with the previous total',
      { ...over, age: DAY_MS + 120_001, read: 50, isOrdered: true },
      'UNCLEAR',
    ],
    ['a read of the total proves an order APPLIED', { ...seen, isOrdered: true }, 'APPLIED'],
  ])('%s', (_, evidence, state) => {
    expect(stateFromEvidence(evidence)).toBe(state)
  })
})
