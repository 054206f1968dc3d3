import { expect, test } from 'vitest'
import { partyLines, partyOf } from './rules.ts'

test.each([
  [{}, []],
  [{ address: 'Kai 1\nHof', city: 'Zurich' }, ['Kai 1', 'Hof', 'Zurich']],
  [{ postcode: '8001', city: 'Zurich', country: 'CH' }, ['8001 Zurich', 'Switzerland']],
  [{ postcode: 'EC1A 1BB', city: 'London', country: 'GB' }, ['London EC1A 1BB', 'United Kingdom']],
  [{ postcode: '8001', taxId: 'X', registration: 'Y' }, ['8001', 'Tax ID X', 'Registration Y']],
])('The details %j are printed as %j', (known, lines) => {
  expect(partyLines(partyOf({ name: 'Party', ...known }))).toEqual(lines)
})
