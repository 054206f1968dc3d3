import Big from 'big.js'
import fc from 'fast-check'
import type { Cause } from '#lib/costs/causes/cause.ts'

// Two months of a product whose true causes are known, because they were made of them.

export type Line = {
  description: string
  type?: string
  price: string
  qty?: string
  details?: string
  taxCategory?: string
  taxRate?: string
  usedQuantity?: string
  usedUnit?: string
  subAccount?: string
}
/** A change of an asset's licenses; the asset is called as the product is. */
export type Change = { product: string; from: number; to: number; on: string; by?: string }

const SUITE = 'workspace-suite'

/** Generated lines of a product on both bills, with the true causes of their difference. */
export type Made = { from: Line[]; to: Line[]; causes: Expected[]; changes?: Change[] }
export type Expected = { kind: Cause['kind']; effect: Big; by?: string }

const cents = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((n) => new Big(n).div(100))
const number = fc.integer({ min: 2, max: 300 })
const step = fc.integer({ min: 1, max: 80 })
const day = fc.integer({ min: 2, max: 29 })
const price = cents(200, 9999)
const licensed = (name: string, one: Big, qty: Big | number): Line => ({
  ...{ description: name, type: SUITE, price: one.toFixed(), qty: new Big(qty).toFixed() },
})
const metered = (name: string, one: Big, qty: number): Line => ({
  ...{ description: name, price: one.toFixed(), qty: String(qty) },
})
const on = (date: number) => `2026-11-${String(date).padStart(2, '0')}`
const moved = (product: string, from: number, more: number, date: number): Change => ({
  ...{ product, from, to: from + more, on: on(date), by: `Person of ${product}` },
})

const SCENARIOS: ((name: string) => fc.Arbitrary<Made>)[] = [
  (name) =>
    fc.record({ one: price, qty: number }).map(({ one, qty }) => {
      const line = licensed(name, one, qty)
      return { from: [line], to: [line], causes: [] }
    }),
  // A member's change, billed for the whole month.
  (name) =>
    fc.record({ one: price, qty: number, more: step, date: day }).map(({ one, qty, more, date }) => {
      const { by = '', ...change } = moved(name, qty, more, date)
      const causes = [{ kind: 'licenses' as const, effect: one.times(more), by }]
      return {
        ...{ from: [licensed(name, one, qty)], to: [licensed(name, one, qty + more)], causes },
        changes: [{ ...change, by }],
      }
    }),
  // By its days, in a line of its own whose price is rounded.
  (name) =>
    fc.record({ one: price, qty: number, more: step, date: day }).map(({ one, qty, more, date }) => {
      const { by = '', ...change } = moved(name, qty, more, date)
      const ofDays = one
        .times(31 - date)
        .div(30)
        .round(2, Big.roundHalfUp)
      const line = licensed(name, one, qty)
      const causes = [{ kind: 'licenses' as const, effect: ofDays.times(more), by }]
      return { from: [line], to: [line, licensed(name, ofDays, more)], causes, changes: [{ ...change, by }] }
    }),
  // In two tiers, with a cheaper second tier.
  (name) =>
    fc.record({ one: price, qty: step, more: step, date: day }).map(({ one, qty, more, date }) => {
      const { by = '', ...change } = moved(name, 100 + qty, more, date)
      const second = one.times('0.8').round(2, Big.roundHalfUp)
      const lines = (last: number) => [licensed(name, one, 100), licensed(name, second, last)]
      const causes = [{ kind: 'licenses' as const, effect: second.times(more), by }]
      return { from: lines(qty), to: lines(qty + more), causes, changes: [{ ...change, by }] }
    }),
  (name) =>
    fc.record({ one: price, qty: number, more: step }).map(({ one, qty, more }) => {
      const causes = [{ kind: 'licenses' as const, effect: one.times(more) }]
      return { from: [licensed(name, one, qty)], to: [licensed(name, one, qty + more)], causes }
    }),
  (name) =>
    fc.record({ one: price, rise: cents(1, 300), qty: number }).map(({ one, rise, qty }) => {
      const causes = [{ kind: 'price' as const, effect: rise.times(qty) }]
      return { from: [licensed(name, one, qty)], to: [licensed(name, one.plus(rise), qty)], causes }
    }),
  (name) =>
    fc
      .record({ one: price, rise: cents(1, 300), qty: number, more: step })
      .map(({ one, rise, qty, more }) => ({
        from: [metered(name, one, qty)],
        to: [metered(name, one.plus(rise), qty + more)],
        causes: [
          { kind: 'usage' as const, effect: one.times(more) },
          { kind: 'price' as const, effect: rise.times(qty + more) },
        ],
      })),
  (name) =>
    fc.record({ one: price, qty: number, more: step }).map(({ one, qty, more }) => {
      const causes = [{ kind: 'usage' as const, effect: one.times(more) }]
      return { from: [metered(name, one, qty)], to: [metered(name, one, qty + more)], causes }
    }),
  (name) =>
    fc.record({ one: price, other: cents(1, 5000) }).map(({ one, other }) => {
      const causes = [{ kind: 'amount' as const, effect: other }]
      return { from: [metered(name, one, 1)], to: [metered(name, one.plus(other), 1)], causes }
    }),
  (name) =>
    fc.record({ one: price, qty: number }).map(({ one, qty }) => {
      const causes = [{ kind: 'new' as const, effect: one.times(qty) }]
      return { from: [], to: [metered(name, one, qty)], causes }
    }),
  (name) =>
    fc.record({ one: price, qty: number }).map(({ one, qty }) => {
      const causes = [{ kind: 'gone' as const, effect: one.times(-qty) }]
      return { from: [licensed(name, one, qty)], to: [], causes }
    }),
  (name) =>
    fc.record({ one: price }).map(({ one }) => {
      const causes = [{ kind: 'credit' as const, effect: one.times(-1) }]
      return { from: [], to: [metered(name, one.times(-1), 1)], causes }
    }),
]

/** Names of a month's products, in order. */
export const NAMES = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Ginkgo', 'Hazel']
/** Products, and the rates of a tax on both bills, if they have one; and whether its line names them. */
export const anyMonth = fc
  .array(fc.nat(SCENARIOS.length - 1), { minLength: 1, maxLength: NAMES.length })
  .chain((picked) =>
    fc.tuple(
      fc.tuple(
        ...picked.map(
          (which, at) => (SCENARIOS[which] ?? SCENARIOS[0])?.(NAMES[at] ?? '') as fc.Arbitrary<Made>,
        ),
      ),
      fc.constantFrom<[number, number, boolean] | undefined>(
        undefined,
        [19, 19, true],
        [19, 20, true],
        [7, 7, false],
        [16, 19, false],
      ),
    ),
  )
