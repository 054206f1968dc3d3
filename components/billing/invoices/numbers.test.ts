import { expect, test } from 'vitest'
import { disambiguatingIssuer } from './numbers.ts'

const row = (id: string, number = id, issuer = 'Fernhill') => ({ id, number, issuer })

test('shows the issuer next to a duplicate number, and next to a number that differs from the id', () => {
  const rows = [row('A'), row('B'), row('norrland:B', 'B', 'Norrland'), row('C~2', 'C')]
  expect(rows.map(disambiguatingIssuer(rows))).toEqual([undefined, 'Fernhill', 'Norrland', 'Fernhill'])
})

test('ignores the numbers of other pages', () => {
  const rows = [row('B')]
  expect(rows.map(disambiguatingIssuer(rows))).toEqual([undefined])
})
