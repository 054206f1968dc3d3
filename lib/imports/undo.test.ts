import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storeFile } from '#lib/billing/invoice-files/store.ts'
import { endSession } from '#lib/platform/caller/session.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { importInvoices } from './invoices/import.ts'
import type { NewInvoice } from './schemas.ts'
import { undoImport } from './undo.ts'

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  customer = await addNewCustomer()
})

const run = (id: string, invoices: NewInvoice[], options: { correct?: boolean; customer?: string } = {}) => {
  const customerId = newCustomerId(options.customer ?? customer)
  return scope({ customerId }, async (tx) => {
    await tx.execute(
      `INSERT INTO imports (customer_id, id, kind, files, report, created_at)
       VALUES ('${customerId}', '${id}', 'invoices', '[]', '{}', clock_timestamp())`,
    )
    await importInvoices(tx, customerId, invoices, { ...options, importId: id })
  })
}
const undo = (id: string, targetId = customer) => {
  const customerId = newCustomerId(targetId)
  return scope({ customerId }, (tx) => undoImport(tx, customerId, id))
}
const invoice = (number: string, overrides: Partial<NewInvoice> = {}): NewInvoice => ({
  number,
  platform: 'web-services',
  issuer: 'AWS',
  invoiceDate: '2026-09-30',
  dueDate: '2099-10-30',
  currency: 'USD',
  totalAmount: '10.00',
  lines: [{ type: 'web-services', description: 'Compute', price: '10', qty: '1' }],
  ...overrides,
})
const PERIOD = { billingAccount: 'A-1', periodStart: '2026-09-01', periodEnd: '2026-10-01' }
const DRAFT = { ...PERIOD, documentState: 'draft', isNumbered: false } as const
/** All that is stored of invoices and lines, but for when. */
const everything = async () => ({
  invoices: await db.sql(
    customer,
    'SELECT to_jsonb(i) - \'created_at\' AS row FROM invoices i ORDER BY id COLLATE "C"',
  ),
  lines: await db.sql(customer, 'SELECT * FROM line_items ORDER BY invoice_id, position'),
})

describe('undoImport', () => {
  test('deletes what no member has seen, and restores all changes', async () => {
    await run('one', [
      invoice('MOVED', { balanceAmount: '7' }),
      invoice('CORRECTED', { balanceAmount: '6' }),
      invoice('VOIDED'),
      invoice('ISSUED', { ...DRAFT, billingAccount: 'A-2' }),
      invoice('SUPERSEDED', DRAFT),
    ])
    const before = await everything()
    const lines = [1, 2, 3].map((qty) => ({
      type: 'x',
      description: `Line ${qty}`,
      price: '1',
      qty: String(qty),
    }))
    await run(
      'two',
      [
        invoice('MOVED', { balanceAmount: '0' }),
        invoice('CORRECTED', { totalAmount: '6', lines }),
        invoice('VOIDED', { documentState: 'voided' }),
        invoice('ISSUED', { ...PERIOD, billingAccount: 'A-2', isNumbered: false, totalAmount: '6', lines }),
        invoice('NEW', PERIOD),
      ],
      { correct: true },
    )
    expect(await everything()).not.toEqual(before)
    expect(await undo('two')).toMatchObject({ removed: 2, voided: 0, restored: 5 })
    expect(await everything()).toEqual(before)
    expect(
      await db.sql(customer, "SELECT subject, details FROM audit_events WHERE action = 'import.undone'"),
    ).toEqual([{ subject: 'two', details: { removed: 2, voided: 0, restored: 5 } }])
    expect(await undo('one')).toMatchObject({ removed: 5, voided: 0, restored: 0 })
    expect(await everything()).toEqual({ invoices: [], lines: [] })
  })

  test('is rejected the second time, for an unknown import, for assets, and for another customer', async () => {
    await run('one', [invoice('1')])
    await expect(undo('one', await addNewCustomer())).rejects.toThrow(
      'There is no import "one" of this customer.',
    )
    await undo('one')
    await expect(undo('one')).rejects.toThrow('was undone already')
    await expect(undo('none')).rejects.toThrow('There is no import "none"')
    await db.sql(
      customer,
      "INSERT INTO imports (customer_id, id, kind, files, report) VALUES ($1, 'assets', 'assets', '[]', '{}')",
      [customer],
    )
    await expect(undo('assets')).rejects.toThrow('An import of assets cannot be undone')
  })

  test('is rejected where a later import changed or corrected the invoices', async () => {
    await run('one', [invoice('1'), invoice('2'), invoice('3')])
    await run('two', [invoice('1', { balanceAmount: '1' })])
    await run('three', [invoice('C', { corrects: '2', totalAmount: '-10' })])
    const undoing = undo('one')
    await expect(undoing).rejects.toThrow('invoice 1 was changed by the import two')
    await expect(undoing).rejects.toThrow('invoice 2 is corrected or credited by C')
    expect(await db.sql(customer, 'SELECT FROM invoices')).toHaveLength(4)
    for (const id of ['three', 'two', 'one']) await undo(id)
    expect(await everything()).toEqual({ invoices: [], lines: [] })
  })

  test('is rejected where a draft has been issued on paper since', async () => {
    await run('one', [invoice('D', DRAFT)])
    await run('two', [invoice('D', { ...PERIOD, isNumbered: false, totalAmount: '100' })])
    await scope({ customerId: newCustomerId(customer) }, (tx) =>
      storeFile(tx, newCustomerId(customer), { invoiceId: 'D', kind: 'drawn', bytes: Buffer.from('%PDF') }),
    )
    await expect(undo('two')).rejects.toThrow('invoice D was issued by it, and its document is kept since')
    expect(await db.sql(customer, 'SELECT document_state FROM invoices')).toEqual([
      { document_state: 'issued' },
    ])
  })

  test('is rejected where another invoice has the number of the voided one since', async () => {
    await run('one', [invoice('D', DRAFT)])
    await run('two', [invoice('INV-7', PERIOD)])
    await run('three', [invoice('INV-7', PERIOD), invoice('D', { ...PERIOD, isNumbered: false })])
    await expect(undo('two')).rejects.toThrow('invoice D came again by the import three')
    await undo('three')
    expect(await undo('two')).toMatchObject({ removed: 1, voided: 0, restored: 1 })
  })

  test('is rejected where the period of the voided invoice was billed again since', async () => {
    await run('one', [invoice('INV-7', PERIOD)])
    await run('two', [invoice('INV-7', { ...PERIOD, documentState: 'voided' })])
    await run('three', [invoice('2026-09-1a2b3c4d', { ...PERIOD, isNumbered: false })])
    await expect(undo('two')).rejects.toThrow(
      'invoice INV-7 is of the period that 2026-09-1a2b3c4d bills since',
    )
    await undo('three')
    await undo('two')
    expect(await db.sql(customer, 'SELECT document_state FROM invoices')).toEqual([
      { document_state: 'issued' },
    ])
  })

  test("an earlier import's change is not in the way of a later one's end", async () => {
    await run('one', [invoice('1')])
    await run('two', [invoice('1', { balanceAmount: '4' })])
    await run('three', [invoice('1', { balanceAmount: '1' })])
    expect(await undo('three')).toMatchObject({ restored: 1 })
    expect(await db.sql(customer, 'SELECT balance_amount FROM invoices')).toEqual([{ balance_amount: '4' }])
  })

  test("never changes another customer's invoices of the same import", async () => {
    const other = await addNewCustomer()
    await run('one', [invoice('1')])
    await run('one', [invoice('1')], { customer: other })
    await undo('one')
    expect(await db.sql(other, 'SELECT document_state FROM invoices')).toEqual([{ document_state: 'issued' }])
  })
})

describe('invoices that the customer may have seen are voided', () => {
  const voided = async () => {
    expect(await undo('one')).toMatchObject({ removed: 0, voided: 1, restored: 0 })
    expect(await db.sql(customer, 'SELECT document_state, balance_amount FROM invoices')).toEqual([
      { document_state: 'voided', balance_amount: '0' },
    ])
  }

  test('by a key', async () => {
    await addKey(customer, ['finance-user'], { lastUsedAt: new Date(Date.now() + 1000) })
    await run('one', [invoice('1')])
    await voided()
  })

  test('by a key whose last use was recorded up to a minute before', async () => {
    await addKey(customer, ['finance-user'], { lastUsedAt: new Date(Date.now() - 30_000) })
    await run('one', [invoice('1')])
    await voided()
  })

  test('by a member who has signed out since', async () => {
    const memberId = await addMember(customer, { roles: ['finance-user'] })
    await db.sql(
      customer,
      "INSERT INTO sessions (customer_id, member_id, digest, last_seen_at) VALUES ($1, $2, 'd', now() - interval '1 hour')",
      [customer, memberId],
    )
    await run('one', [invoice('1')])
    const customerId = newCustomerId(customer)
    await scope({ customerId }, (tx) => endSession(tx, customerId, 'd'))
    await voided()
  })

  test('but not by a caller without access to invoices or their billing profile: the same file then gets the same id', async () => {
    const now = new Date(Date.now() + 1000)
    await addProfile(customer, 'emea')
    await addKey(customer, ['it-manager'], { lastUsedAt: now })
    await addKey(customer, ['finance-user'], { lastUsedAt: now, billingProfiles: ['emea'] })
    const memberId = await addMember(customer, { roles: ['it-manager'], lastSeenAt: now })
    await db.sql(
      customer,
      "INSERT INTO sessions (customer_id, member_id, digest, last_seen_at) VALUES ($1, $2, 'd', now())",
      [customer, memberId],
    )
    await run('one', [invoice('1')])
    expect(await undo('one')).toMatchObject({ removed: 1, voided: 0, restored: 0 })
    await run('two', [invoice('1')])
    expect(await db.sql(customer, 'SELECT id, document_state FROM invoices')).toEqual([
      { id: '1', document_state: 'issued' },
    ])
  })

  test('but not if only used before the import', async () => {
    await addKey(customer, ['finance-user'], { lastUsedAt: new Date(Date.now() - 3_600_000) })
    await run('one', [invoice('1')])
    expect(await undo('one')).toMatchObject({ removed: 1, voided: 0, restored: 0 })
  })
})
