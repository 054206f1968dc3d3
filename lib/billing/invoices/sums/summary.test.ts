import Big from 'big.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PartialInput } from '#lib/platform/api/client.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addDays, DAY_MS, dayOf, epochOfDay } from '#lib/platform/values/days.ts'
import type * as contract from '../contract.ts'
import { summarizeInvoices } from '../operations.ts'
import { statusOf } from '../rules.ts'
import { type Days, daysOf, type Selection } from '../selection.ts'
import { byRows, strategyFor } from './summary.ts'

describe('summary', () => {
  type Query = NonNullable<PartialInput<typeof contract.summarizeInvoices>['query']>
  type Row = Record<'id' | 'profile' | 'platform' | 'currency' | 'invoiceDate' | 'dueDate', string> & {
    total: string
    balance: string
  }
  const PLATFORMS = ['cloud-platform', 'web-services', 'Zebra', 'own-slug']
  const PROFILES = ['default', 'emea', 'apac']
  /** What sums are read from: the rows that are kept for that, and the invoices. */
  const TABLES = ['invoice_sums', 'invoices']
  const requestMeta = { requestId: 'test-request' }
  let database: TestDatabase
  let fin: Caller
  const today = '2026-11-20'
  let rows: Row[]

  beforeAll(async () => {
    database = await testDatabase({ today })
    for (const id of ['northwind', 'southwind', 'empty']) await addCustomer(id)
    for (const id of ['emea', 'apac']) await addProfile('northwind', id)
    fin = await callerOf('northwind', 'finance-user')
    await addInvoice('southwind', 'IN-S', { totalAmount: '7.77' })
    rows = fc.sample(invoiceOf(today), { numRuns: 300, seed: 4 }).map((row, n) => ({ ...row, id: `IN-${n}` }))
    await database.sql(
      'northwind',
      `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date, currency,
       total_amount, balance_amount)
     SELECT 'northwind', 'test-party', 'test-party', r.id, r.id, r.profile, r.platform, 'Reseller', r."invoiceDate"::date, r."dueDate"::date,
       r.currency, r.total::numeric, r.balance::numeric
     FROM json_to_recordset($1::json) AS r(id text, profile text, platform text, "invoiceDate" text, "dueDate" text,
       currency text, total text, balance text)`,
      [JSON.stringify(rows)],
    )
  })
  afterAll(() => database.close())

  const summary = async (query: Query, caller = fin) =>
    (await summarizeInvoices(caller, { params: {}, query, body: undefined }, requestMeta)).body

  /** Cents, three decimals, fractions of a cent, twelve digits, below zero, nothing. */
  const amount = fc.oneof(
    fc.integer({ min: -99_999, max: 9_999_999 }).map((cents) => new Big(cents).div(100).toFixed()),
    fc.integer({ min: -5000, max: 999_999_999 }).map((mills) => new Big(mills).div(1000).toFixed()),
    fc.integer({ min: 1, max: 9999 }).map((n) => new Big(n).div(1e9).toFixed()),
    fc.integer({ min: 1, max: 999_999 }).map((n) => `999999${String(n).padStart(6, '0')}.97`),
    fc.constant('0'),
  )

  /** Due on each side of the bounds as often as anywhere. */
  function invoiceOf(today: string): fc.Arbitrary<Omit<Row, 'id'>> {
    const due = fc.oneof(fc.constantFrom(-1, 0, 1, 29, 30, 31), fc.integer({ min: -400, max: 90 }))
    return fc
      .record({
        profile: fc.constantFrom(...PROFILES),
        platform: fc.constantFrom(...PLATFORMS),
        currency: fc.constantFrom('USD', 'USD', 'JPY', 'KWD'),
        due,
        term: fc.constantFrom(0, 14, 30, 31),
        total: amount,
        balance: fc.oneof(fc.constant('0'), amount),
      })
      .map(({ due: days, term, ...rest }) => ({
        ...rest,
        dueDate: addDays(today, days),
        invoiceDate: addDays(today, days - term),
      }))
  }

  /** What can be paid, in whole minor units: none of these corrects another. */
  const payableOf = ({ balance, currency }: Row) =>
    new Big(balance).round({ USD: 2, JPY: 0, KWD: 3 }[currency], Big.roundHalfUp)

  /** The same sums by another way: row by row, in decimals. */
  function expected(chosen: Row[]) {
    const summed = (name: string, amounts: (Big | string)[]) => {
      const exact = amounts.reduce<Big>((all, one) => all.plus(one), new Big(0))
      const text = exact.toFixed()
      return { [name]: Number(text), ...(exact.eq(String(Number(text))) ? {} : { [`${name}Text`]: text }) }
    }
    const totals = (some: Row[]) =>
      summed(
        'totalAmount',
        some.map(({ total }) => total),
      )
    const part = (some: Row[]) => ({ count: some.length, ...summed('amount', some.map(payableOf)) })
    const first = (name: string, some: Row[]) =>
      some.length > 0 ? { [name]: Math.min(...some.map(({ dueDate }) => epochOfDay(dueDate))) } : {}
    const groups = (some: Row[], by: (row: Row) => string) =>
      Object.entries(Object.groupBy(some, by) as Record<string, Row[]>).sort(([a], [b]) => (a < b ? -1 : 1))
    const currencies = groups(chosen, ({ currency }) => currency).map(([currency, currencyRows]) => {
      const due = currencyRows.filter((row) => payableOf(row).gt(0))
      const overdue = due.filter(({ dueDate }) => dueDate < today)
      const dueWithin30Days = due.filter(({ dueDate }) => dueDate >= today && dueDate <= addDays(today, 30))
      return {
        currency,
        count: currencyRows.length,
        ...totals(currencyRows),
        ...summed('balanceAmount', currencyRows.map(payableOf)),
        outstanding: part(due),
        credit: part(currencyRows.filter((row) => payableOf(row).lt(0))),
        pastDue: { ...part(overdue), ...first('oldestDueDate', overdue) },
        dueIn30Days: { ...part(dueWithin30Days), ...first('firstDueDate', dueWithin30Days) },
        months: groups(currencyRows, ({ invoiceDate }) => invoiceDate.slice(0, 7)).map(([month, some]) => ({
          month: epochOfDay(`${month}-01`),
          count: some.length,
          ...totals(some),
          platforms: groups(some, ({ platform }) => platform).map(([platform, ones]) => ({
            platform,
            count: ones.length,
            ...totals(ones),
          })),
        })),
      }
    })
    currencies.sort((a, b) => b.count - a.count)
    return { count: chosen.length, today: epochOfDay(today), currencies }
  }

  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
  const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 })
  const SELECTION_FIELDS = {
    filter: fc.record({
      platform: optional(some([...PLATFORMS, 'nothing'])),
      status: optional(some(['OPEN', 'PAST DUE', 'PAID'])),
      dueDate: optional(fc.integer({ min: -1, max: 31 }).map((days) => [String(timeOf(days))])),
    }),
    /** Days from today. */
    from: optional(fc.integer({ min: -430, max: 90 })),
    to: optional(fc.integer({ min: -430, max: 90 })),
    search: optional(fc.constantFrom('in-1', 'IN-2', 'IN-29', 'X')),
    profiles: fc.subarray(PROFILES),
  }
  type SelectionValue = {
    [Key in keyof typeof SELECTION_FIELDS]: (typeof SELECTION_FIELDS)[Key] extends fc.Arbitrary<infer T>
      ? T
      : never
  }

  const timeOf = (days: number | undefined) =>
    days === undefined ? undefined : epochOfDay(today) + days * DAY_MS

  function isChosen(row: Row, { filter, from, to, search, profiles }: SelectionValue): boolean {
    const status = statusOf(payableOf(row).toFixed(), row.dueDate, today)
    const [due, issued] = [epochOfDay(row.dueDate), epochOfDay(row.invoiceDate)]
    return [
      profiles.includes(row.profile),
      filter.platform?.includes(row.platform),
      filter.status?.includes(status),
      filter.dueDate?.includes(String(due)),
      issued >= (timeOf(from) ?? issued),
      issued <= (timeOf(to) ?? issued),
      row.id.toLowerCase().startsWith((search ?? '').toLowerCase()),
    ].every((holds) => holds ?? true)
  }

  describe('The sums of a selection', () => {
    it('equal those of decimal arithmetic per currency, month and platform', async () => {
      expect(await summary({})).toEqual(expected(rows))
    })

    it('cover the invoices of any filter and of the billing profiles visible to the caller', async () => {
      await fc.assert(
        fc.asyncProperty(fc.record(SELECTION_FIELDS), async (value) => {
          const { filter, profiles, search } = value
          const filters = Object.entries(filter).filter(([, values]) => values !== undefined)
          const query = {
            filter: filters.length > 0 ? (Object.fromEntries(filters) as Query['filter']) : undefined,
            minCreationTime: timeOf(value.from),
            maxCreationTime: timeOf(value.to),
            search,
          }
          const limited = { ...fin, billingProfiles: profiles }
          expect(await summary(query, limited)).toEqual(expected(rows.filter((row) => isChosen(row, value))))
        }),
        { numRuns: 60 },
      )
    })

    it('are empty without invoices, and contain the current day', async () => {
      const nobody = await callerOf('empty', 'finance-user')
      expect(await summary({}, nobody)).toEqual({ count: 0, today: epochOfDay(today), currencies: [] })
      const none = { ...fin, billingProfiles: [] }
      expect((await summary({}, none)).currencies).toEqual([])
    })
  })

  describe('Access to the sums', () => {
    it('requires the permission', async () => {
      const it = await callerOf('northwind', 'it-manager')
      await expect(summary({}, it)).rejects.toMatchObject({ code: 'permission_denied' })
    })

    it('excludes other customers, even with an equal profile id and without row-level security', async () => {
      const eve = await callerOf('southwind', 'admin')
      const dollars = { count: 1, currencies: [{ currency: 'USD', count: 1, totalAmount: 7.77 }] }
      expect(await summary({}, eve)).toMatchObject(dollars)
      for (const table of TABLES) await run(database.url, `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)
      try {
        expect(await summary({}, { ...eve, billingProfiles: PROFILES })).toMatchObject(dollars)
        const query = { filter: { platform: ["x' OR 'a'='a", ...PLATFORMS] } }
        expect(await summary(query, { ...eve, billingProfiles: PROFILES })).toMatchObject(dollars)
        const seen = await scope(eve, (tx) => tx.execute('SELECT count(*)::int AS n FROM invoices'))
        expect(seen.rows[0]?.n).toBe(rows.length + 1)
      } finally {
        for (const table of TABLES) await run(database.url, `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
      }
    })
  })
})

describe('way', () => {
  const at = (day: string) => epochOfDay(day)
  const between = (from: string, to: string): Selection => ({
    minCreationTime: at(from),
    maxCreationTime: at(to),
  })

  describe('wayOf', () => {
    it.each<[string, Selection]>([
      ['no filter at all', {}],
      ['the filters that the sums know', { filter: { platform: ['a'], status: ['OPEN'], issuer: ['b'] } }],
      ['profiles and currencies', { filter: { billingProfile: ['default'], currency: ['USD'] } }],
      ['issued invoices', { filter: { state: ['issued'] } }],
      ['an empty search', { search: '' }],
    ])('returns the sums for %s', (_, selection) => {
      expect(strategyFor(selection)).toEqual({ months: { from: undefined, to: undefined }, rows: [] })
    })

    it.each<[string, Selection]>([
      ['a search', { search: 'IN-1' }],
      ['a due date', { filter: { dueDate: ['0'] } }],
      ['named invoices', { ids: [] }],
      ['drafts', { filter: { state: ['draft'] } }],
      ['voided and issued ones', { filter: { state: ['issued', 'voided'] } }],
      ['a range within a month', between('2026-10-02', '2026-10-31')],
      ['a range within two months that has none', between('2026-10-02', '2026-11-29')],
      ['a range that ends before it begins', between('2026-11-01', '2026-09-30')],
      ['what no month begins after', { minCreationTime: at('9999-12-05') }],
    ])('returns the invoices for %s', (_, selection) => {
      expect(strategyFor(selection)).toEqual(byRows(selection))
    })

    it.each<[string, Selection, Days, Days[]]>([
      ['one month', between('2026-10-01', '2026-10-31'), { from: '2026-10-01', to: '2026-10-31' }, []],
      ['from a month on', { minCreationTime: at('2024-02-01') }, { from: '2024-02-01', to: undefined }, []],
      [
        'up to the leap day',
        { maxCreationTime: at('2024-02-29') },
        { from: undefined, to: '2024-02-29' },
        [],
      ],
      [
        'up to the day before the leap day',
        { maxCreationTime: at('2024-02-28') },
        { from: undefined, to: '2024-01-31' },
        [{ from: '2024-02-01', to: '2024-02-28' }],
      ],
      [
        'a range that cuts both',
        between('2026-08-31', '2026-11-01'),
        { from: '2026-09-01', to: '2026-10-31' },
        [
          { from: '2026-08-31', to: '2026-08-31' },
          { from: '2026-11-01', to: '2026-11-01' },
        ],
      ],
      [
        'a begin within a day, which leaves that day out',
        { minCreationTime: at('2026-09-30') + 1 },
        { from: '2026-10-01', to: undefined },
        [],
      ],
    ])('returns whole months for the sums and the rest for invoices: %s', (_, selection, months, rows) => {
      expect(strategyFor(selection)).toEqual({ months, rows })
    })

    it('covers each day of any range once', () => {
      const time = fc.option(fc.integer({ min: 0, max: 900 * DAY_MS }), { nil: undefined })
      fc.assert(
        fc.property(time, time, (minCreationTime, maxCreationTime) => {
          const selection = { minCreationTime, maxCreationTime }
          const { months, rows } = strategyFor(selection)
          for (let n = -1; n < 902; n++) {
            const day = dayOf(n * DAY_MS)
            const month = `${day.slice(0, 7)}-01`
            const times = [
              // As the statements ask: a month by its first day.
              months && isIn(month, months),
              ...rows.map((days) => isIn(day, days)),
            ].filter((is) => is)
            expect([day, times.length]).toEqual([day, isIn(day, daysOf(selection)) ? 1 : 0])
          }
        }),
      )
    })

    it('never splits more than a month', () => {
      const { rows } = strategyFor(between('2020-01-02', '2026-12-30'))
      for (const { from = '', to = '' } of rows) expect(to < addDays(from, 31)).toBe(true)
    })
  })

  function isIn(day: string, { from = day, to = day }: Days): boolean {
    return day >= from && day <= to
  }
})
