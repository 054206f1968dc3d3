import Big from 'big.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { Cause } from '#lib/costs/causes/cause.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addInvoice, addNewCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { FULL, printSeed, seedOfRun } from '../../../test/fuzz/run.ts'
import type { PlacedCause } from './explanation.ts'
import { readExplanation } from './read.ts'
import { anyMonth, type Change, type Expected, type Line, type Made, NAMES } from './test-true-months.ts'

// Months whose true causes are known, because they were made of them: crafted ones, and generated ones.

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase({ today: '2026-12-20' })
})
afterAll(() => database.close())

type Bill = { lines: Line[]; total?: string; fields?: Parameters<typeof addInvoice>[2] }
type Months = { from?: Bill; to?: Bill; changes?: Change[]; dates?: [string, string] }

const SUITE = 'workspace-suite'
const CLOUD = 'cloud-platform'
const plus = (price: string, qty: string, fields: Partial<Line> = {}): Line => ({
  ...{ description: 'Business Plus', type: SUITE, price, qty },
  ...fields,
})
const usage = (price: string, qty = '1', description = 'Compute'): Line => ({ description, price, qty })
const hours = (price: string, usedQuantity: string, subAccount = 'a'): Line => ({
  ...{
    description: 'Compute',
    price,
    details: 'Usage, 18 charges',
    usedQuantity,
    usedUnit: 'Hours',
    subAccount,
  },
})
const tax = (price: string, description = 'VAT'): Line => ({ description, price })
const change = (from: number, to: number, on: string, by?: string): Change => ({
  ...{ product: 'Business Plus', from, to, on },
  ...(by ? { by } : {}),
})

const amountOf = ({ price, qty = '1' }: Line) => new Big(price).times(qty).round(2, Big.roundHalfUp)
const totalOf = (lines: readonly Line[]) => lines.reduce((sum, line) => sum.plus(amountOf(line)), new Big(0))

async function explained({ from, to, changes = [], dates = ['2026-10-31', '2026-11-30'] }: Months) {
  const customer = await addNewCustomer()
  const add = (id: string, bill: Bill | undefined, invoiceDate: string) => {
    if (!bill) return undefined
    const totalAmount = bill.total ?? totalOf(bill.lines).toFixed()
    const lines = bill.lines.map(({ type = CLOUD, ...line }) => ({ type, ...line }))
    return addInvoice(
      customer,
      id,
      { invoiceDate, dueDate: '2027-01-31', totalAmount, ...bill.fields },
      lines,
    )
  }
  await add('FROM', from, dates[0])
  await add('TO', to, dates[1])
  for (const [index, [product, productChanges]] of [
    ...Map.groupBy(changes, (one) => one.product),
  ].entries()) {
    const id = `${SUITE}-${index}`
    await addAsset(
      customer,
      id,
      { purchased: productChanges.at(-1)?.to ?? 0 },
      { name: product, skuName: product },
    )
    for (const { from: before, to: after, on, by = 'Sam' } of productChanges)
      await database.sql(
        customer,
        `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
           actor_name, request_id, created_at, moved_at, settled_at)
         VALUES ($1, gen_random_uuid()::text, $2, $3, $4, 'APPLIED', 'member', 'M1', $6, 'r', $5, $5, $5)`,
        [customer, id, before, after, `${on}T10:00:00Z`, by],
      )
  }
  const month = dates[1].slice(0, 7)
  const { currencies } = await readExplanation(await callerOf(customer, 'admin'), { month })
  return currencies[0]?.causes ?? []
}

/** `licenses 80.00 50→58 Sam 7/30 wholePeriod`. */
function shown({ kind, effect, quantity, price, taxRate, change: edit }: Cause): string {
  return [
    `${kind} ${effect.toFixed(2)}`,
    edit ? `${edit.from}→${edit.to} ${edit.by}` : quantity && `${quantity.from}→${quantity.to}`,
    edit?.billed && `${edit.billed.days}/${edit.billed.ofDays} ${edit.billed.how}`,
    price && `at ${price.from}→${price.to}`,
    taxRate && `${taxRate.from}%→${taxRate.to}%`,
  ]
    .filter(Boolean)
    .join(' ')
}

const two = (from: Line[], to: Line[], more: Partial<Months> = {}): Months => ({
  ...{ from: { lines: from }, to: { lines: to } },
  ...more,
})
/** Lines without tax, and an invoice's tax beside them. */
const taxed = (price: string, taxAmount: string, taxRate?: string): Bill => {
  const rate = taxRate ? { taxCategory: 'S', taxRate } : {}
  const total = new Big(price).plus(taxAmount).toFixed()
  return { lines: [{ ...usage(price), ...rate }], total, fields: { netAmount: price, taxAmount } }
}
const november = change(50, 58, '2026-11-24')
const tiers = (qty: string) => [plus('10', '50'), plus('8', qty)]

describe('a month is explained by what made it', () => {
  it.each<[string, Months, string[]]>([
    ['nothing', two([plus('10', '50')], [plus('10', '50')]), []],
    ['licenses of whom nobody knows', two([plus('10', '50')], [plus('10', '58')]), ['licenses 80.00 50→58']],
    [
      'a change on 24 November, billed for the whole month',
      two([plus('10', '50')], [plus('10', '58')], { changes: [november] }),
      ['licenses 80.00 50→58 Sam 7/30 wholePeriod'],
    ],
    [
      'the same by its days, as a number with a fraction',
      two([plus('10', '50')], [plus('10', '51.8667')], { changes: [november] }),
      ['licenses 18.67 50→58 Sam 7/30 days'],
    ],
    [
      'the same by its days, in a line of its own',
      two([plus('10', '50')], [plus('10', '50'), plus('2.33', '8')], { changes: [november] }),
      ['licenses 18.64 50→58 Sam 7/30 days'],
    ],
    [
      'licenses in a line of their own, of whom nobody knows',
      two([plus('10', '50')], [plus('10', '50'), plus('2.58', '8')]),
      ['licenses 20.64 50→58'],
    ],
    [
      'licenses that are gone in a line of their own',
      two([plus('10', '50'), plus('2.58', '8')], [plus('10', '50')]),
      ['licenses -20.64 58→50'],
    ],
    [
      'a change that is billed in two tiers',
      two(tiers('2'), tiers('10'), { changes: [change(52, 60, '2026-11-24')] }),
      ['licenses 64.00 52→60 Sam 7/30 wholePeriod'],
    ],
    ['two tiers of whom nobody knows', two(tiers('2'), tiers('10')), ['licenses 64.00 52→60']],
    [
      'two changes of two people',
      two([plus('10', '50')], [plus('10', '65')], {
        changes: [change(50, 70, '2026-11-05', 'Mira'), change(70, 65, '2026-11-25', 'Ana')],
      }),
      ['licenses 200.00 50→70 Mira 26/30 wholePeriod', 'licenses -50.00 70→65 Ana 6/30 wholePeriod'],
    ],
    [
      'a change that is billed from the next month on',
      two([plus('10', '50')], [plus('10', '58')], { changes: [change(50, 58, '2026-10-12')] }),
      ['licenses 80.00 50→58 Sam 20/31 nextPeriod'],
    ],
    [
      'a bill that is dated the 1st, for the month before',
      two([plus('10', '50')], [plus('10', '51.8667')], {
        ...{ changes: [november], dates: ['2026-11-01', '2026-12-01'] },
      }),
      ['licenses 18.67 50→58 Sam 7/30 days'],
    ],
    ['a price', two([plus('10', '50')], [plus('10.5', '50')]), ['price 25.00 at 10→10.5']],
    [
      'number and price',
      two([plus('10', '50')], [plus('11', '58')]),
      ['licenses 80.00 50→58', 'price 58.00 at 10→11'],
    ],
    [
      'a mix of prices for as many as before',
      two([plus('10', '60')], [plus('10', '50'), plus('8', '10')]),
      ['price -20.00 at 10→9.66666667'],
    ],
    ['usage', two([usage('0.5', '100')], [usage('0.5', '150')]), ['usage 25.00 100→150']],
    [
      'charges of 100 and of 150 hours at one price, each sum rounded',
      two([hours('3.31', '100')], [hours('4.97', '150')]),
      ['usage 1.66 100→150'],
    ],
    [
      'charges at another price, of an account that is told apart',
      two([hours('10', '100'), hours('20', '100', 'b')], [hours('15', '100'), hours('20', '100', 'b')]),
      ['price 5.00 at 0.1→0.15'],
    ],
    [
      'charges that were not counted before',
      two([{ ...usage('10'), details: 'Usage, 17 charges' }], [hours('15', '150')]),
      ['amount 5.00'],
    ],
    ['a single charge', two([usage('100')], [usage('130')]), ['amount 30.00']],
    ['a second single charge', two([usage('100')], [usage('100'), usage('30')]), ['amount 30.00']],
    ['what is new', two([usage('1')], [usage('1'), usage('5', '3', 'Storage')]), ['new 15.00 0→3']],
    ['what is gone', two([usage('1'), usage('5', '3', 'Storage')], [usage('1')]), ['gone -15.00 3→0']],
    ['a discount', two([usage('100')], [usage('100'), usage('-20', '1', 'Discount')]), ['credit -20.00']],
    [
      'a line of tax in plain JSON',
      two([usage('100'), tax('19', 'VAT 19 %')], [usage('110'), tax('20.90', 'VAT 19 %')]),
      ['amount 10.00', 'tax 1.90'],
    ],
    [
      'another rate in the name of a line of tax',
      two([usage('100'), tax('19', 'VAT 19 %')], [usage('100'), tax('20', 'VAT 20 %')]),
      ['taxRate 1.00 19%→20%'],
    ],
    [
      'another rate of a line of tax that names none, and more to be taxed',
      two([usage('100'), tax('19')], [usage('200'), tax('40')]),
      ['amount 100.00', 'tax 19.00', 'taxRate 2.00 19%→20%'],
    ],
    [
      'another rate of the tax beside the lines',
      { from: taxed('100', '19', '19'), to: taxed('100', '20', '20') },
      ['taxRate 1.00 19%→20%'],
    ],
    [
      'more to be taxed at the rate before',
      { from: taxed('100', '19'), to: taxed('110', '20.90') },
      ['amount 10.00', 'tax 1.90'],
    ],
    [
      'what no line shows',
      { from: { lines: [usage('100')] }, to: { lines: [usage('100')], total: '107.77' } },
      ['notItemized 7.77'],
    ],
  ])('%s', async (_, months, expected) => {
    expect((await explained(months)).map(shown).sort()).toEqual(expected.toSorted())
  })
})

const MONTHS = FULL ? 200 : 80
printSeed('lib/costs/explanations/true-causes.test.ts')

const rounded = (amount: Big) => amount.round(2, Big.roundHalfUp)

/** The bills of a month, with a line of tax where they have one: with its rate in its name, or without. */
function billsOf(products: readonly Made[], rates: [number, number, boolean] | undefined) {
  const [from, to] = [products.flatMap((one) => one.from), products.flatMap((one) => one.to)]
  const line = (lines: readonly Line[], rate: number) =>
    tax(rounded(totalOf(lines).times(rate).div(100)).toFixed(), rates?.[2] ? `VAT ${rate} %` : 'VAT')
  if (!rates || totalOf(from).lte(1) || totalOf(to).lte(1)) return { from, to, taxes: undefined }
  const [before, after] = rates
  const taxes = {
    rate: totalOf(to)
      .times(after - before)
      .div(100),
    base: totalOf(to).minus(totalOf(from)).times(before).div(100),
  }
  return { from: [...from, line(from, before)], to: [...to, line(to, after)], taxes }
}

const sumOf = (causes: readonly { effect: Big }[]) =>
  causes.reduce((sum, { effect }) => sum.plus(effect), new Big(0))
const isOfTax = ({ kind }: { kind: string }) => kind === 'tax' || kind === 'taxRate'
const causeText = (product: string, { kind, effect, by }: Expected) =>
  `${product}: ${kind} ${effect.toFixed(2)} ${by ?? ''}`
const found = (cause: PlacedCause) =>
  causeText(cause.description ?? '', { ...cause, ...(cause.change?.by ? { by: cause.change.by } : {}) })

test(`${MONTHS} generated months have the causes that they were made of, with who made them`, async () => {
  const months = fc.sample(anyMonth, { numRuns: MONTHS, seed: FULL ? seedOfRun('months') : 30 })
  const kinds = new Set<string>()
  for (const [products, rates] of months) {
    const { from, to, taxes } = billsOf(products, rates)
    const changes = products.flatMap((one) => one.changes ?? [])
    const bill = (lines: Line[]): Pick<Months, 'from'>['from'] => (lines.length > 0 ? { lines } : undefined)
    const causes = await explained({
      ...(from.length > 0 ? { from: bill(from) as Bill } : {}),
      ...(to.length > 0 ? { to: bill(to) as Bill } : {}),
      changes,
    })
    const expected = products.flatMap(({ causes }, at) =>
      causes.map((one) => causeText(NAMES[at] ?? '', one)),
    )
    expect(
      causes
        .filter((one) => !isOfTax(one))
        .map(found)
        .sort(),
    ).toEqual(expected.sort())
    for (const [kind, exact] of [
      ['taxRate', taxes?.rate],
      ['tax', taxes?.base],
    ] as const) {
      const effect = sumOf(causes.filter((one) => one.kind === kind))
      // Each of the two taxes is rounded once, and so is their difference.
      expect([
        kind,
        effect
          .minus(exact ?? 0)
          .abs()
          .lte('0.02'),
      ]).toEqual([kind, true])
    }
    for (const { kind } of causes) kinds.add(kind)
  }
  expect([...kinds].sort()).toEqual(
    ['amount', 'credit', 'gone', 'licenses', 'new', 'price', 'tax', 'taxRate', 'usage'].sort(),
  )
})
