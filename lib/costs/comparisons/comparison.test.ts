import Big from 'big.js'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Change, compareInvoices, incomparable, type Side } from './comparison.ts'

type Line = Side['lines'][number]

const line = (description: string, price: string, qty = '1', details: string | null = null): Line => ({
  type: 'web-services',
  description,
  price,
  qty,
  details,
  currency: 'USD',
})
const sideOf = (lines: Line[], totalAmount?: string): Side => {
  const sum = lines
    .filter(({ currency }) => currency === 'USD')
    .reduce((all, { price, qty }) => all.plus(new Big(price).times(qty).round(2)), new Big(0))
  return { totalAmount: totalAmount ?? sum.toFixed(), balanceAmount: '0', currency: 'USD', lines }
}
const compare = (from: Line[], to: Line[]) => compareInvoices(sideOf(from), sideOf(to))
/** Formats a change: `kind effect reasons: description (lines from → to)`. */
const formatChange = ({ kind, effect, reasons, from, to }: Change) =>
  `${kind} ${effect.toFixed()} ${reasons}: ${(to ?? from)?.description} (${from?.lines ?? 0} → ${to?.lines ?? 0})`
const comparisonOf = (from: Line[], to: Line[]) => {
  const { changes, unchanged } = compare(from, to)
  return [...changes, ...unchanged].map(formatChange)
}

describe('compareInvoices', () => {
  it('lists added, removed and changed lines, largest effect first', () => {
    const from = [
      line('Support', '50'),
      line('Compute', '2', '10'),
      line('Storage', '0.5', '8'),
      line('Logs', '3'),
    ]
    const to = [
      line('Storage', '0.5', '10'),
      line('Compute', '2.5', '12'),
      line('Logs', '3'),
      line('DNS', '1.5'),
    ]
    expect(comparisonOf(from, to)).toEqual([
      'gone -50 : Support (1 → 0)',
      'changed 10 quantity,price: Compute (1 → 1)',
      'added 1.5 : DNS (0 → 1)',
      'changed 1 quantity: Storage (1 → 1)',
      'unchanged 0 : Logs (1 → 1)',
    ])
  })

  it.each<[string, string | null, string | null]>([
    ['periods', '1 – 30 Sep 2026, per hour', '1 – 31 Oct 2026, per hour'],
    ['counts', 'Usage, 18 charges', 'Usage, 1 charge'],
    ['days', '2026-09-01 to 2026-09-30', '2026-10-01 to 2026-10-31'],
    ['months', 'September 2026', 'Oct 2026'],
    ['an account with a period', 'Account 0925, 1 – 30 Sep', 'Account 0925, 1 – 31 Oct'],
  ])('knows a line again by its details without %s', (_, before, after) => {
    expect(comparisonOf([line('Compute', '2', '1', before)], [line('Compute', '3', '1', after)])).toEqual([
      'changed 1 price: Compute (1 → 1)',
    ])
  })

  it.each<[string, Line, Line]>([
    ['account', line('Compute', '2', '1', 'Account 0925'), line('Compute', '2', '1', 'Account 0926')],
    ['description', line('Compute, 16 cores', '2'), line('Compute, 32 cores', '2')],
    [
      'category',
      line('Compute', '2', '1', 'Usage, 3 charges'),
      line('Compute', '2', '1', 'Credit, 3 charges'),
    ],
    ['type', line('Compute', '2'), { ...line('Compute', '2'), type: 'cloud-platform' }],
  ])('takes another %s for another line', (_, before, after) => {
    expect(
      compare([before], [after])
        .changes.map(({ kind }) => kind)
        .sort(),
    ).toEqual(['added', 'gone'])
  })

  it('knows a description again without its dates', () => {
    expect(comparisonOf([line('Seats, Sep 2026', '2')], [line('Seats, Oct 2026', '2')])).toEqual([
      'unchanged 0 : Seats, Oct 2026 (1 → 1)',
    ])
  })

  it('prefers an exact match to one without dates and counts', () => {
    const from = [line('Compute', '2', '1', '3 hours'), line('Compute', '9', '1', '4 hours')]
    expect(comparisonOf(from, [line('Compute', '9', '1', '3 hours')])).toEqual([
      'gone -9 : Compute (1 → 0)',
      'changed 7 price: Compute (1 → 1)',
    ])
  })

  describe('repeated equal lines', () => {
    it('split in two is no change', () => {
      expect(
        comparisonOf([line('Seats', '5', '10')], [line('Seats', '5', '6'), line('Seats', '5', '4')]),
      ).toEqual(['unchanged 0 : Seats (1 → 2)'])
    })
    it('report the one with another price', () => {
      expect(
        comparisonOf([line('Seats', '5', '10')], [line('Seats', '5', '6'), line('Seats', '7', '4')]),
      ).toEqual(['added 28 : Seats (0 → 1)', 'changed -20 quantity: Seats (1 → 1)'])
    })
    it('report the additional one', () => {
      expect(
        comparisonOf(
          [line('Seats', '5'), line('Seats', '5')],
          [5, 5, 5].map(() => line('Seats', '5')),
        ),
      ).toEqual(['added 5 : Seats (0 → 1)', 'unchanged 0 : Seats (1 → 1)', 'unchanged 0 : Seats (1 → 1)'])
    })
    it('keep their quantities when all prices rise', () => {
      const from = [line('Tier', '5', '10'), line('Tier', '4', '100')]
      const to = [line('Tier', '4.4', '100'), line('Tier', '5.5', '10')]
      expect(comparisonOf(from, to)).toEqual([
        'changed 40 price: Tier (1 → 1)',
        'changed 5 price: Tier (1 → 1)',
      ])
    })
    it('report a difference that is only rounding', () => {
      const halves = [line('Seats', '0.005', '1'), line('Seats', '0.005', '1')]
      expect(comparisonOf([line('Seats', '0.005', '2')], halves)).toEqual([
        'changed 0.01 amount: Seats (1 → 2)',
      ])
    })
  })

  it('matches one line of a product with lines per account', () => {
    const to = [line('Compute', '2', '6', 'Account 1'), line('Compute', '3', '6', 'Account 2')]
    const [change] = compare([line('Compute', '2', '10')], to).changes
    expect(change && formatChange(change)).toBe('changed 10 quantity,price: Compute (1 → 2)')
    expect([change?.to?.price, change?.to?.details]).toEqual([undefined, null])
  })

  it('never adds a line of another currency, and lists it last', () => {
    const yen = { ...line('Tokyo', '90000'), currency: 'JPY' }
    const { changes, effect } = compare([line('A', '1')], [line('A', '2'), yen])
    expect(changes.map(formatChange)).toEqual(['changed 1 price: A (1 → 1)', 'added 90000 : Tokyo (0 → 1)'])
    expect(effect.lineItems.toFixed()).toBe('1')
  })

  it('reports amounts outside of lines and rounding, on each side', () => {
    const thirds = [line('A', '0.334'), line('B', '0.334'), line('C', '0.334')]
    const { from, to, effect } = compareInvoices(sideOf(thirds, '1.00'), sideOf([line('A', '1')], '13.34'))
    const plain = (sums: typeof from) => Object.values(sums).map((sum) => sum.toFixed())
    expect(plain(from)).toEqual(['0.99', '0.01', '0', '0', '1'])
    expect(plain(to)).toEqual(['1', '0', '0', '12.34', '13.34'])
    expect(plain(effect)).toEqual(['0.01', '-0.01', '0', '12.34', '12.34'])
  })
})

test.each([
  [{ platform: 'a', currency: 'USD' }, { platform: 'b', currency: 'EUR' }, 'platform'],
  [{ platform: 'a', currency: 'USD' }, { platform: 'a', currency: 'EUR' }, 'currency'],
  [{ platform: 'a', currency: 'USD' }, { platform: 'a', currency: 'USD' }, undefined],
])('%j against %j: %s', (from, to, why) => {
  expect(incomparable(from, to)).toBe(why)
})

describe('whatever the invoices are', () => {
  const decimal = fc.tuple(fc.integer({ min: -2000, max: 2000 }), fc.integer({ min: 0, max: 4 }))
  const number = decimal.map(([digits, decimals]) => new Big(digits).div(new Big(10).pow(decimals)).toFixed())
  const anyLine = fc.record({
    type: fc.constantFrom('web-services', 'cloud-platform'),
    description: fc.constantFrom('Compute', 'Storage', 'Seats, Sep 2026', 'Seats, Oct 2026'),
    details: fc.constantFrom(null, '', 'Account 1', 'Account 2', '3 hours', '1 – 30 Sep', '1 – 31 Oct'),
    currency: fc.constantFrom('USD', 'USD', 'USD', 'JPY'),
    price: fc.oneof(fc.constantFrom('1', '1.00', '2', '0.005'), number),
    qty: fc.oneof(fc.constantFrom('1', '1.0', '2', '10'), number),
  })
  const anySide = fc
    .tuple(fc.array(anyLine, { maxLength: 14 }), fc.option(number, { nil: undefined }))
    .map(([lines, total]) => sideOf(lines, total))
  const check = (holds: (from: Side, to: Side) => void) =>
    fc.assert(fc.property(anySide, anySide, holds), { numRuns: 500 })

  it('an invoice against itself is no change', () => {
    fc.assert(
      fc.property(anySide, fc.nat(20), (side, shift) => {
        const lines = [...side.lines.slice(shift), ...side.lines.slice(0, shift)]
        const { changes, effect } = compareInvoices(side, { ...side, lines })
        expect(changes).toEqual([])
        expect(Object.values(effect).map((each) => each.toFixed())).toEqual(['0', '0', '0', '0', '0'])
      }),
    )
  })

  it('the effects add up to the difference of the line sums, and all together to that of the totals', () => {
    check((from, to) => {
      const { changes, ...sums } = compareInvoices(from, to)
      const dollarChanges = changes.filter(({ currency }) => currency === 'USD')
      const sum = dollarChanges.reduce((all, { effect }) => all.plus(effect), new Big(0))
      expect(sum.toFixed()).toBe(sums.effect.lineItems.toFixed())
      expect(sums.effect.total.toFixed()).toBe(new Big(to.totalAmount).minus(from.totalAmount).toFixed())
      for (const { lineItems, rounding, tax, notItemized, total } of [sums.from, sums.to, sums.effect])
        expect(lineItems.plus(rounding).plus(tax).plus(notItemized).toFixed()).toBe(total.toFixed())
    })
  })

  it('each line is reported once, whatever its change', () => {
    check((from, to) => {
      const { changes, unchanged } = compareInvoices(from, to)
      const all = [...changes, ...unchanged]
      for (const [name, side] of [['from', from] as const, ['to', to] as const]) {
        const parts = all.flatMap((change) => change[name] ?? [])
        const qty = parts.reduce((sum, part) => sum.plus(part.qty), new Big(0))
        const quantity = side.lines.reduce((sum, part) => sum.plus(part.qty), new Big(0))
        expect(parts.reduce((sum, { lines }) => sum + lines, 0)).toBe(side.lines.length)
        expect(qty.toFixed()).toBe(quantity.toFixed())
      }
    })
  })

  it('swapped sides negate it', () => {
    const mirrored: Record<string, string> = { added: 'gone', gone: 'added' }
    const text = ({ kind, effect, reasons, from, to }: Change, mirror: boolean) => {
      const [one, other] = mirror ? [to, from] : [from, to]
      const [signed, named] = mirror ? [effect.neg(), mirrored[kind] ?? kind] : [effect, kind]
      return JSON.stringify([signed.plus(0).toFixed(), named, reasons, one ?? null, other ?? null])
    }
    check((from, to) => {
      const there = compareInvoices(from, to)
      const back = compareInvoices(to, from)
      expect(back.changes.map((change) => text(change, true)).sort()).toEqual(
        there.changes.map((change) => text(change, false)).sort(),
      )
      expect(back.effect.total.plus(there.effect.total).toFixed()).toBe('0')
      expect(back.unchanged.length).toBe(there.unchanged.length)
    })
  })

  it('the largest effect comes first', () => {
    check((from, to) => {
      for (const currency of ['USD', 'JPY']) {
        const effects = compareInvoices(from, to)
          .changes.filter((change) => change.currency === currency)
          .map(({ effect }) => Math.abs(Number(effect)))
        expect(effects).toEqual(effects.toSorted((a, b) => b - a))
      }
    })
  })
})
