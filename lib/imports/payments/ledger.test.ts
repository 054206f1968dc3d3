import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareSums } from '#lib/billing/invoices/sums/verify-totals.ts'
import { assignCredit, recordPayment, reversePayment, writeOff } from '#lib/billing/payments/ledger.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { importInvoices } from '../invoices/import.ts'
import type { NewInvoice } from '../schemas.ts'
import { lockImports } from '../sessions/lock.ts'
import {
  amountText,
  type Command,
  command,
  fileOf,
  INVOICE_DAY,
  type Invoice,
  least,
  Model,
  type Payment,
  slot,
  units,
  unitsOf,
} from './test-ledger.ts'

// Balances against an independent ledger that counts whole minor units, whatever comes in whatever order.

const TODAY = '2026-11-20'
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase({ today: TODAY })
})
afterAll(() => db.close())

/** Runs commands on the model and on the database; each at a day of its own. */
function run(customer: string) {
  const customerId = newCustomerId(customer)
  const model = new Model()
  /** Calls that wrote something, for replays. */
  const calls: (() => Promise<unknown>)[] = []
  let counter = 0

  const within = <T>(work: (tx: Transaction) => Promise<T>) =>
    scope({ customerId }, async (tx) => {
      await lockImports(tx, customerId)
      return work(tx)
    })
  const store = async (call: () => Promise<unknown>) => {
    await call()
    calls.push(call)
  }
  const importOne = (invoice: NewInvoice, correct = false) =>
    within((tx) => importInvoices(tx, customerId, [invoice], { correct }))

  const steps: { [K in Command['do']]: (one: Extract<Command, { do: K }>) => Promise<void> } = {
    async issue({ slot: at, currency: code, total, paid: paidUnits }) {
      if (model.invoice(at)) return
      const invoice: Invoice = {
        number: `IN-${at}`,
        currency: code,
        total,
        balance: total - (paidUnits ?? 0n),
        state: 'issued',
        reported: paidUnits ? [{ amount: paidUnits, at: model.clock }] : [],
      }
      model.invoices.set(at, invoice)
      await importOne(
        fileOf(invoice, paidUnits === null ? {} : { balanceAmount: amountText(invoice.balance, code) }),
      )
    },
    async report({ slot: at, balance }) {
      const invoice = model.invoice(at)
      if (invoice?.state !== 'issued') return
      model.report(invoice, balance)
      await importOne(fileOf(invoice, { balanceAmount: amountText(balance, invoice.currency) }))
    },
    async pay({ amount, slots, currency: fallback }) {
      const invoices = slots
        .flatMap((at) => model.invoice(at) ?? [])
        .filter(({ state }) => state === 'issued')
      const code = invoices[0]?.currency ?? fallback
      const paying = invoices.filter((one) => one.currency === code)
      const reference = `P-${counter}`
      const day = addDays(INVOICE_DAY, counter++)
      const paid: Payment = {
        reference,
        kind: 'payment',
        currency: code,
        amount,
        day,
        parts: new Map(),
        since: new Map(),
        credit: 0n,
        reversed: false,
      }
      let rest = amount
      for (const invoice of paying) rest -= model.pay(paid, invoice, rest)
      paid.credit = rest
      model.payments.push(paid)
      const parts = paying.map(({ number }) => ({ id: number }))
      const input = {
        kind: 'payment' as const,
        paidOn: day,
        amount: amountText(amount, code),
        currency: code,
        reference,
        invoices: parts,
      }
      await store(() => within((tx) => recordPayment(tx, customerId, input, 'r')))
    },
    async assign({ payment: index, slot: at }) {
      const [paid, invoice] = [model.payments[index], model.invoice(at)]
      if (paid?.kind !== 'payment' || paid.reversed || invoice?.state !== 'issued') return
      const free = model.freeOf(paid)
      if (invoice.currency !== paid.currency || free <= 0n || invoice.balance <= 0n) return
      paid.credit -= model.pay(paid, invoice, free)
      await within((tx) =>
        assignCredit(tx, customerId, { reference: paid.reference, invoices: [{ id: invoice.number }] }, 'r'),
      )
    },
    async refund({ payment: index, amount }) {
      const paid = model.payments[index]
      if (paid?.kind !== 'payment' || paid.reversed) return
      const free = model.freeOf(paid)
      const part = least(amount, free)
      if (part <= 0n) return
      const reference = `R-${counter++}`
      const { currency: code } = paid
      model.payments.push({
        reference,
        kind: 'refund',
        currency: code,
        amount: part,
        day: TODAY,
        parts: new Map(),
        since: new Map(),
        credit: -part,
        refundOf: paid.reference,
        reversed: false,
      })
      const input = {
        kind: 'refund' as const,
        paidOn: TODAY,
        amount: amountText(part, code),
        currency: code,
        reference,
        refundOf: paid.reference,
        invoices: [],
      }
      await store(() => within((tx) => recordPayment(tx, customerId, input, 'r')))
    },
    async reverse({ payment: index }) {
      const paid = model.payments[index]
      if (!paid || paid.reversed) return
      if (model.payments.some((one) => one.refundOf === paid.reference && !one.reversed)) return
      paid.reversed = true
      for (const invoice of model.invoices.values()) model.revert(paid, invoice)
      paid.credit = 0n
      const { reference } = paid
      await store(() => within((tx) => reversePayment(tx, customerId, { reference, reason: 'bounced' }, 'r')))
    },
    async 'write-off'({ slot: at }) {
      const invoice = model.invoice(at)
      if (invoice?.state !== 'issued' || invoice.balance === 0n) return
      const { currency: code, number } = invoice
      const reference = `W-${counter++}`
      const isSmall = invoice.balance <= 100n && invoice.balance >= -100n
      const call = () =>
        within((tx) => writeOff(tx, customerId, { invoice: number, reference, limits: new Map() }, 'r'))
      if (!isSmall) return void (await expect(call()).rejects.toThrow('is written off'))
      const paid: Payment = {
        reference,
        kind: 'write-off',
        currency: code,
        amount: invoice.balance,
        day: TODAY,
        parts: new Map(),
        since: new Map(),
        credit: 0n,
        reversed: false,
      }
      model.move(paid, invoice, invoice.balance)
      model.payments.push(paid)
      await call()
    },
    async correct({ slot: at, total }) {
      const invoice = model.invoice(at)
      if (invoice?.state !== 'issued' || invoice.total === total) return
      // Payments of the former document move to the new one, in their order.
      const paidUnits = invoice.total - invoice.balance
      const released = model.release(invoice)
      Object.assign(invoice, { total, balance: total - paidUnits, state: 'issued' })
      let room = paidUnits
      const isSame = (part: bigint) => part > 0n === room > 0n && room !== 0n
      for (const [paid, part] of [...released].toSorted(([a], [b]) =>
        a.day + a.reference < b.day + b.reference ? -1 : 1,
      )) {
        const free = model.freeOf(paid)
        const most = least(room, part, free)
        if (!isSame(part) || most <= 0n) continue
        paid.credit -= most
        paid.parts.set(invoice.number, most)
        paid.since.set(invoice.number, model.clock)
        room -= most
      }
      if (room !== 0n) invoice.reported.push({ amount: room, at: model.clock })
      await importOne(fileOf(invoice), true)
    },
    async void({ slot: at }) {
      const invoice = model.invoice(at)
      if (invoice?.state !== 'issued') return
      model.release(invoice)
      await importOne(fileOf(invoice, { documentState: 'voided' }))
    },
    async replay({ index }) {
      const call = calls[index % Math.max(1, calls.length)]
      // A write-off or payment whose reversal came since is answered as before, and changes nothing.
      await call?.()
    },
  }
  return {
    model,
    calls,
    within,
    step: (one: Command) => {
      model.clock += 1
      return steps[one.do](one as never)
    },
  }
}

const rowsOf = (customer: string, query: string) =>
  db.sql(customer, query) as Promise<Record<string, string>[]>

test('a payment that its issuer never counted leaves its amount open once when it is reversed', async () => {
  const customer = await addNewCustomer()
  const { step, model } = run(customer)
  const invoice = { do: 'issue' as const, currency: 'EUR', total: 100n, paid: null }
  for (const [slot, reports, expected] of [
    [0, { after: 100n }, 100n],
    // A fee of 30 was reported before the payment, or with the report that does not count it.
    [1, { before: 130n }, 130n],
    [2, { after: 130n }, 130n],
    [3, { after: 60n }, 100n],
  ] as [number, { before?: bigint; after?: bigint }, bigint][]) {
    await step({ ...invoice, slot })
    if (reports.before) await step({ do: 'report', slot, balance: reports.before })
    await step({ do: 'pay', amount: reports.before ?? 100n, slots: [slot], currency: 'EUR' })
    if (reports.after) await step({ do: 'report', slot, balance: reports.after })
    await step({ do: 'reverse', payment: slot })
    expect(model.invoice(slot)?.balance).toBe(expected)
    await check(customer, model)
  }
})

/** Compares all in the database with the model, or with itself where there is none. */
async function check(customer: string, model?: Model): Promise<void> {
  const invoices = await rowsOf(
    customer,
    `SELECT i.number, i.currency, i.document_state AS state, i.total_amount::text AS total, i.balance_amount::text AS balance,
       coalesce((SELECT sum(e.amount) FROM payment_entries e WHERE e.customer_id = i.customer_id AND e.invoice_id = i.id), 0)::text AS paid
     FROM invoices i ORDER BY i.number, i.document_state, i.id`,
  )
  for (const { currency: code = '', total = '', balance = '', paid = '', state } of invoices) {
    const expected = state === 'issued' ? unitsOf(total, code) - unitsOf(paid, code) : 0n
    expect([state, unitsOf(balance, code)]).toEqual([state, expected])
    if (state !== 'issued') expect(unitsOf(paid, code)).toBe(0n)
  }
  const payments = await rowsOf(
    customer,
    `SELECT p.reference, p.currency, p.kind, p.amount::text, (p.reversed_on IS NOT NULL)::text AS reversed, sum(e.amount)::text AS entered,
       coalesce(sum(e.amount) FILTER (WHERE e.invoice_id IS NULL), 0)::text AS credit
     FROM payments p JOIN payment_entries e ON e.customer_id = p.customer_id AND e.payment_id = p.id GROUP BY p.customer_id, p.id ORDER BY p.reference`,
  )
  for (const { currency: code = '', amount = '', entered = '', reversed } of payments)
    expect(unitsOf(entered, code)).toBe(reversed === 'true' ? 0n : unitsOf(amount, code))
  if (model) {
    const live = [...model.invoices.values()].map(({ number, currency: code, state, balance }) => [
      number,
      code,
      state,
      balance,
    ])
    const isCurrent = ({ number, state }: Record<string, string>) =>
      state === 'issued' || !invoices.some((other) => other.number === number && other.state === 'issued')
    const actual = invoices
      .filter(isCurrent)
      .map(({ number, currency: code = '', state, balance = '' }) => [
        number,
        code,
        state,
        unitsOf(balance, code),
      ])
    const once = actual.filter(([number], at) => actual.findIndex(([other]) => other === number) === at)
    expect(once).toEqual(live.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
    const recorded = payments.filter(({ reference }) => reference)
    expect(
      recorded.map(({ reference, credit = '', currency: code = '', reversed }) => [
        reference,
        unitsOf(credit, code),
        reversed,
      ]),
    ).toEqual(
      model.payments
        .map(({ reference, credit, reversed }) => [reference, reversed ? 0n : credit, String(reversed)])
        .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    )
  }
  const customerId = newCustomerId(customer)
  await scope({ customerId }, async (tx) =>
    expect(await compareSums(tx, customerId)).toMatchObject({ count: 0 }),
  )
}

test('balances equal an independent ledger, whatever was issued, paid, reversed, corrected and replayed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 24 }), async (commands) => {
      const customer = await addNewCustomer()
      const { model, step } = run(customer)
      for (const one of commands) await step(one)
      await check(customer, model)
    }),
    { numRuns: 25 },
  )
})

test('under races and replays nothing is paid twice, and the sums of payments and balances agree', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(units, { minLength: 2, maxLength: 4 }),
      fc.array(
        fc.record({ amount: units, slots: fc.uniqueArray(slot, { maxLength: 3 }), isReversed: fc.boolean() }),
        { minLength: 2, maxLength: 5 },
      ),
      async (totals, paying) => {
        const customer = await addNewCustomer()
        const customerId = newCustomerId(customer)
        const { step, model } = run(customer)
        for (const [at, total] of totals.entries())
          await step({ do: 'issue', slot: at, currency: 'KWD', total, paid: null })
        const pay = ({ amount, slots }: (typeof paying)[number], index: number) => {
          const invoices = slots.filter((at) => at < totals.length).map((at) => ({ id: `IN-${at}` }))
          const input = {
            kind: 'payment' as const,
            paidOn: TODAY,
            amount: amountText(amount, 'KWD'),
            currency: 'KWD',
            reference: `P-${index}`,
            invoices,
          }
          // Without the customer's lock: the ledger's own locks hold, too. A lost race for a reference is reported.
          return scope({ customerId }, (tx) => recordPayment(tx, customerId, input, 'r')).catch(raceOnly)
        }
        const importing = () => step({ do: 'report', slot: 0, balance: model.invoice(0)?.total ?? 0n })
        await Promise.all([...paying.flatMap((one, at) => [pay(one, at), pay(one, at)]), importing()])
        await Promise.all(paying.map(pay))
        await Promise.all(
          paying.map(async ({ isReversed }, at) => {
            const reverse = () =>
              scope({ customerId }, (tx) =>
                reversePayment(tx, customerId, { reference: `P-${at}`, reason: 'bounced' }, 'r'),
              ).catch(raceOnly)
            if (isReversed) await Promise.all([reverse(), reverse()])
          }),
        )
        for (const [at, { isReversed }] of paying.entries())
          if (isReversed)
            await scope({ customerId }, (tx) =>
              reversePayment(tx, customerId, { reference: `P-${at}`, reason: 'bounced' }, 'r'),
            )
        await check(customer)
        const [sums] = await rowsOf(
          customer,
          `SELECT (SELECT sum(total_amount - balance_amount)::text FROM invoices) AS paid,
             (SELECT coalesce(sum(amount), 0)::text FROM payment_entries WHERE invoice_id IS NULL) AS credit,
             (SELECT coalesce(sum(amount), 0)::text FROM payments WHERE kind = 'reported' AND reversed_on IS NULL) AS reported,
             (SELECT count(*)::text FROM payments WHERE kind = 'payment') AS count`,
        )
        expect(Number(sums?.count)).toBe(paying.length)
        const paid = paying.reduce((all, { amount, isReversed }) => (isReversed ? all : all + amount), 0n)
        const unit = (name: string) => unitsOf(sums?.[name] ?? '', 'KWD')
        expect(unit('paid') + unit('credit') - unit('reported')).toBe(paid)
      },
    ),
    { numRuns: 8 },
  )
})

/** Passes over a lost race, after which the same call again changes nothing: a duplicate key, a deadlock, a lock. */
function raceOnly(error: unknown): void {
  const code = (error as { cause?: { code?: string } }).cause?.code ?? ''
  if (!['23505', '40P01', '55P03'].includes(code) && !(error instanceof Problem)) throw error
}
