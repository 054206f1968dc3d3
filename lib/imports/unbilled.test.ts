import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { saveIssuer } from '#lib/billing/parties/issuers.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { DEEP } from '../../test/fakes/deep.ts'
import { printSeed, seedOfRun } from '../../test/fuzz/run.ts'
import type { ChargeRow, DetailRow } from './charges/test-charges.ts'
import { importers } from './charges/test-importers.ts'

// A month that is not billed yet is a draft, night after night, and one document once its bill comes.

let all: Awaited<ReturnType<typeof importers>>
beforeAll(async () => {
  all = await importers()
})
afterAll(() => all.close())
beforeEach(() => all.db.setToday('2026-11-22'))

const UNBILLED = { InvoiceId: '', InvoiceDetailId: '' }
const usage = (...rows: ChargeRow[]) => all.usage(...rows.map((row) => ({ ...UNBILLED, ...row })))
/** A FOCUS 1.0 file, which has no column for the number. */
const ancient = (cost: string) =>
  all.file(
    [
      'InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost',
      `Nimbus Cloud,A-1,2026-09-01,2026-10-01,USD,Nimbus Cloud,Compute,Usage,${cost}`,
    ].join('\n'),
  )

async function newCustomer() {
  const one = await all.importer()
  const documents = async () =>
    (
      await all.db.sql(
        one.id,
        `SELECT document_state AS state, is_numbered AS numbered, total_amount AS total, balance_amount AS owed
         FROM invoices ORDER BY is_numbered DESC, total_amount`,
      )
    ).map(
      ({ state, numbered, total, owed }) =>
        `${state} ${numbered ? 'with' : 'without'} number ${Number(total)}, owed ${Number(owed)}`,
    )
  const set = (rule: { graceDays?: number; unbilled?: 'draft' | 'issue' }) =>
    scope({ customerId: one.customerId }, (tx) =>
      saveIssuer(tx, one.customerId, { name: 'Nimbus Cloud', ...rule }, 'test'),
    )
  return { ...one, documents, set }
}

describe('charges without a number', () => {
  test('become a draft after their month, which each import rewrites and which is not payable', async () => {
    const { load, documents } = await newCustomer()
    for (const [today, cost] of [
      ['2026-09-30', '10.00'],
      ['2026-10-01', '10.05'],
      ['2026-10-02', '10.07'],
      ['2026-11-22', '10.10'],
    ] as const) {
      await all.db.setToday(today)
      await load([usage({ BilledCost: cost })])
      expect(await documents()).toEqual([`draft without number ${Number(cost)}, owed 0`])
    }
  })

  test('are issued after ten days where their issuer has no column for a number', async () => {
    const { load, documents } = await newCustomer()
    await all.db.setToday('2026-10-10')
    await load([ancient('10')])
    expect(await documents()).toEqual(['draft without number 10, owed 0'])
    await all.db.setToday('2026-10-11')
    await load([ancient('10')])
    expect(await documents()).toEqual(['issued without number 10, owed 10'])
  })

  test("are issued or stay a draft according to the issuer's setting", async () => {
    const { load, documents, set } = await newCustomer()
    await set({ graceDays: 3, unbilled: 'issue' })
    await all.db.setToday('2026-10-03')
    await load([usage({})])
    expect(await documents()).toEqual(['draft without number 10, owed 0'])
    await all.db.setToday('2026-10-04')
    await load([usage({ InvoiceIssuerName: 'NIMBUS CLOUD' })])
    expect(await documents()).toEqual(['issued without number 10, owed 10'])
    const other = await newCustomer()
    await other.set({ unbilled: 'draft' })
    await all.db.setToday('2026-11-22')
    await other.load([ancient('10')])
    expect(await other.documents()).toEqual(['draft without number 10, owed 0'])
  })

  test('of a reseller are issued after the days of grace', async () => {
    const { load, documents } = await newCustomer()
    const resold = { issuer: 'Resale Ltd', atCost: true }
    await all.db.setToday('2026-10-05')
    await load([usage({})], {}, resold)
    expect(await documents()).toEqual(['draft without number 10, owed 0'])
    await all.db.setToday('2026-10-11')
    await load([usage({})], {}, resold)
    expect(await documents()).toEqual(['issued without number 10, owed 10'])
  })

  test('that were issued before stay issued', async () => {
    const { id, load, documents } = await newCustomer()
    await load([ancient('10')])
    await all.db.sql(id, "UPDATE invoices SET created_at = '2026-10-02'")
    await all.db.setToday('2026-10-03')
    await load([ancient('10')])
    expect(await documents()).toEqual(['issued without number 10, owed 10'])
  })

  test('in a separate file stay next to an upfront bill of the month, every night', async () => {
    const { load, documents } = await newCustomer()
    const upfront = all.usage({ InvoiceId: 'UP-1', BilledCost: '100' })
    for (const cost of ['4.00', '9.00', '9.50']) {
      await load([upfront])
      await load([usage({ BilledCost: cost })])
      await load([upfront])
      expect(await documents()).toEqual([
        'issued with number 100, owed 100',
        `draft without number ${Number(cost)}, owed 0`,
      ])
    }
    await load([all.usage({ InvoiceId: 'N-9', BilledCost: '9.50' })])
    await load([usage({ BilledCost: '9.50' })])
    expect(await documents()).toEqual([
      'issued with number 9.5, owed 9.5',
      'issued with number 100, owed 100',
    ])
  })

  test('are one draft in each spelling of their issuer, although an invoice had the first one', async () => {
    const { load, documents } = await newCustomer()
    await load([all.usage({ InvoiceIssuerName: 'NIMBUS CLOUD', InvoiceId: 'UP-1', BilledCost: '100' })])
    await load([usage({ InvoiceIssuerName: 'Nimbus Cloud', BilledCost: '4' })])
    await load([usage({ InvoiceIssuerName: 'NIMBUS CLOUD', BilledCost: '9' })])
    expect(await documents()).toEqual(['issued with number 100, owed 100', 'draft without number 9, owed 0'])
  })

  test('of a release that made a draft for each spelling are one document once they are billed', async () => {
    const { id, load, documents } = await newCustomer()
    const draftIn = (name: string, cost: string) => usage({ InvoiceIssuerName: name, BilledCost: cost })
    await all.db.setToday('2026-09-20')
    await load([draftIn('Nimbus Cloud', '4')])
    await load([usage({ InvoiceIssuerName: 'Cirrus', BillingAccountId: 'A-2', BilledCost: '6' })])
    await all.db.sql(
      id,
      "UPDATE invoices SET issuer = 'NIMBUS CLOUD', billing_account = 'A-1' WHERE issuer = 'Cirrus'",
    )
    for (const [today, name, cost] of [
      ['2026-09-30', 'NIMBUS CLOUD', '7'],
      ['2026-10-02', 'Nimbus Cloud', '8'],
      ['2026-10-20', 'Nimbus  cloud', '9'],
    ] as const) {
      await all.db.setToday(today)
      await load([draftIn(name, cost)])
      const drafts = await documents()
      expect(drafts).toContain(`draft without number ${cost}, owed 0`)
      expect(drafts.filter((one) => !one.endsWith('owed 0'))).toEqual([])
    }
    await load([all.bill({ BilledCost: '9' })])
    expect(await documents()).toEqual(['issued with number 9, owed 9'])
  })

  test('give way to their bill, and come back when its import is undone', async () => {
    const { load, documents, undo } = await newCustomer()
    const first = await load([usage({})])
    const before = await documents()
    const { importId } = await load([all.bill({ BilledCost: '10' })])
    expect(await documents()).toEqual(['issued with number 10, owed 10'])
    await expect(undo(first.importId)).rejects.toThrow('was superseded by the import')
    await undo(importId)
    expect(await documents()).toEqual(before)
    await undo(first.importId)
    expect(await documents()).toEqual([])
  })

  test('that are issued are replaced by a bill with the same total, and another bill needs an answer', async () => {
    const { load, documents } = await newCustomer()
    await load([ancient('10')])
    await expect(load([all.usage({ BilledCost: '10.05' })])).rejects.toThrow(
      'the file has invoice N-1 instead',
    )
    await load([all.usage({ BilledCost: '10.00' })])
    expect(await documents()).toEqual(['issued with number 10, owed 10', 'voided without number 10, owed 0'])
  })
})

/** A small generator, so that each seed is one story. */
function dice(seed: number) {
  let state = seed
  return (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}
const SPELLINGS = [
  'Nimbus Cloud Ltd',
  'NIMBUS CLOUD LTD',
  'Nimbus  Cloud Ltd.',
  'nimbus cloud limited',
  'Ｎimbus Cloud, Ltd',
]
/** Nights over the end of a month: the numbers come in the ten after it, and the papers in the four after those. */
const [START_NIGHT, NIGHTS] = DEEP ? ['2026-09-11', 35] : ['2026-09-27', 17]

/** Returns a vendor's nightly exports: usage in parts, a number some days after the month, and then the invoice. */
function story(seed: number) {
  const roll = dice(seed * 7919 + 17)
  const [hasUpfront, hasPaper] = [seed % 2 === 1, seed % 4 > 1]
  const numbered = addDays('2026-10-01', roll(9))
  const papered = addDays(numbered, roll(4))
  const costs: number[] = []
  const spelled = () => ({ InvoiceIssuerName: SPELLINGS[roll(SPELLINGS.length)] ?? '' })

  const amountOf = (cents: number) => (cents / 100).toFixed(2)
  const usageOf = (isNumbered: boolean) => {
    const parts: ChargeRow[][] = [[], [], []]
    for (const cost of costs) {
      const number = isNumbered ? { InvoiceId: 'N-1' } : UNBILLED
      parts[roll(parts.length)]?.push({ ...number, ...spelled(), BilledCost: amountOf(cost) })
    }
    return parts.filter((part) => part.length > 0).map((part) => all.usage(...part))
  }

  /** Imports a night's files, in any order, and returns the billed and unbilled amounts after them. */
  function nightOf(today: string) {
    // Usage comes until the month ends, and late charges until the bill is made.
    if (today <= '2026-10-01' || (today < numbered && roll(2) === 0)) costs.push(1 + roll(500))
    const isNumbered = today >= numbered
    const cents = costs.reduce((sum, cost) => sum + cost, 0)
    const files = usageOf(isNumbered)
    const paper: DetailRow = { ...spelled(), BilledCost: amountOf(cents) }
    if (hasPaper && today >= papered) files.splice(roll(files.length + 1), 0, all.bill(paper))
    const upfront = { InvoiceId: 'UP-1', InvoiceDetailId: '', ...spelled(), BilledCost: '500.00' }
    const imports = [files, ...(hasUpfront ? [[all.usage(upfront)]] : [])]
    const total = cents / 100
    const month = isNumbered
      ? `issued with number ${total}, owed ${total}`
      : `draft without number ${total}, owed 0`
    const valid = [month, ...(hasUpfront ? ['issued with number 500, owed 500'] : [])]
    return { imports: roll(2) === 0 ? imports : imports.toReversed(), valid: valid.sort() }
  }
  return { nightOf, isPaperLate: hasPaper && papered > numbered }
}

/** One story of each kind, or two, and a different one in each run. */
const STORIES = [...Array(DEEP ? 8 : 4).keys(), seedOfRun('story') >>> 0]

describe(`${NIGHTS} nights over the end of a month`, () => {
  printSeed('lib/imports/unbilled.test.ts')
  test.each(STORIES.map((seed) => [seed]))(
    'of the story %i leave what is billed, once, and owed',
    async (seed) => {
      const { nightOf, isPaperLate } = story(seed)
      const { load, documents } = await newCustomer()
      const isVoided = (document: string) => document.startsWith('voided')
      for (let night = 0; night < NIGHTS; night++) {
        const today = addDays(START_NIGHT, night)
        await all.db.setToday(today)
        const { imports, valid } = nightOf(today)
        for (const files of imports) await load(files, { answer: 'unattended' })
        const found = (await documents()).filter((document) => !isVoided(document))
        expect([today, ...found.sort()]).toEqual([today, ...valid])
      }
      // A summary of numbered charges is issued before their paper comes, and gives its place to that.
      expect((await documents()).filter(isVoided)).toHaveLength(isPaperLate ? 1 : 0)
    },
  )
})
