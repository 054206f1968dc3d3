import { expect, test } from 'vitest'
import { disambiguatingIssuer } from './numbers.ts'

const row = (id: string, number = id, issuer = 'Fernhill') => ({ id, number, issuer })

test('the issuer stands beside a number that is there twice, and beside one that is not the id', () => {
  const rows = [row('A'), row('B'), row('norrland:B', 'B', 'Norrland'), row('C~2', 'C')]
  expect(rows.map(disambiguatingIssuer(rows))).toEqual([undefined, 'Fernhill', 'Norrland', 'Fernhill'])
})

test('what is on another page changes nothing of this one', () => {
  const rows = [row('B')]
  expect(rows.map(disambiguatingIssuer(rows))).toEqual([undefined])
})
