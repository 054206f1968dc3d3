import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { commandLine } from '../../test-command.ts'

let db: TestDatabase
const { admin } = commandLine(() => db.url, tmpdir())
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-20' })
})
afterAll(() => db.close())

const rows = (customer: string, query: string) => db.sql(customer, query)

test('a merge copies payments once, with their entries, and moves no balance', async () => {
  for (const id of ['moonbird', 'sunbird']) await addCustomer(id)
  await addInvoice('moonbird', 'M-1', { totalAmount: '10', balanceAmount: '4' })
  // As the version before payments left it: the backfill has yet to come.
  await addInvoice('moonbird', 'M-0', { totalAmount: '8', balanceAmount: '1' })
  await run(
    db.url,
    `BEGIN; SET LOCAL console.operated = 'moonbird';
     DELETE FROM payments WHERE customer_id = 'moonbird' AND invoice_id = 'M-0'; COMMIT;
     UPDATE backfills SET finished_at = NULL WHERE name = 'payments'`,
  )
  await addInvoice('moonbird', 'M-2', { totalAmount: '20', balanceAmount: '20' })
  await addInvoice('sunbird', 'S-1', { totalAmount: '30', balanceAmount: '30' })
  const add = (customer: string, invoice: string) =>
    admin(
      `payments add --customer ${customer} --date 2026-11-01 --amount 25 --currency USD --reference B-1 --invoice ${invoice}`,
    )
  expect([(await add('moonbird', 'M-2')).code, (await add('sunbird', 'S-1')).code]).toEqual([0, 0])
  await admin('customers close moonbird')
  const merge = await admin('customers merge moonbird --into sunbird --profile default=moon --yes')
  expect(merge.code, merge.err).toBe(0)
  expect(
    await rows('sunbird', 'SELECT id, trim_scale(balance_amount)::text AS balance FROM invoices ORDER BY id'),
  ).toEqual([
    { id: 'M-0', balance: '1' },
    { id: 'M-1', balance: '4' },
    { id: 'M-2', balance: '0' },
    { id: 'S-1', balance: '5' },
  ])
  expect(
    await rows(
      'sunbird',
      `SELECT p.reference, p.kind, e.invoice_id AS invoice, trim_scale(e.amount)::text AS amount
     FROM payment_entries e JOIN payments p ON p.customer_id = e.customer_id AND p.id = e.payment_id ORDER BY e.invoice_id NULLS LAST, p.reference`,
    ),
  ).toEqual([
    { reference: null, kind: 'opening', invoice: 'M-0', amount: '7' },
    { reference: null, kind: 'reported', invoice: 'M-1', amount: '6' },
    { reference: 'B-1~moonbird', kind: 'payment', invoice: 'M-2', amount: '20' },
    { reference: 'B-1', kind: 'payment', invoice: 'S-1', amount: '25' },
    { reference: 'B-1~moonbird', kind: 'payment', invoice: null, amount: '5' },
  ])
})

test('a merge of more rows than a page copies each of them once', async () => {
  const count = 503
  await addCustomer('many')
  await addCustomer('single')
  await addInvoice('many', 'N-0', { documentState: 'voided', balanceAmount: '0' })
  const parts = Array.from({ length: count - 1 }, (_, at) => `N-${at + 1}`)
  for (const id of parts) await addInvoice('many', id, { balanceAmount: id === parts.at(-1) ? '4' : '10' })
  await rows('many', `UPDATE invoices SET replaced_by = '${parts.at(-1)}' WHERE id = 'N-0'`)
  const read = (customer: string) =>
    rows(
      customer,
      `SELECT i.id, i.replaced_by, trim_scale(i.balance_amount)::text AS balance, i.invoice_date::text, i.created_at,
         (SELECT count(*)::int FROM line_items l WHERE l.customer_id = i.customer_id AND l.invoice_id = i.id) AS lines,
         (SELECT sum(e.amount)::text FROM payment_entries e WHERE e.customer_id = i.customer_id AND e.invoice_id = i.id) AS paid
       FROM invoices i ORDER BY i.id`,
    )
  const before = await read('many')
  await admin('customers close many')
  const merge = await admin('customers merge many --into single --profile default=many --yes')
  expect(merge.code, merge.err).toBe(0)
  const after = await read('single')
  expect(after).toEqual(before)
  expect(after).toHaveLength(count)
  expect(after[0]).toMatchObject({ id: 'N-0', replaced_by: parts.at(-1) })
  expect(after.filter(({ paid }) => paid !== null)).toMatchObject([
    { id: parts.at(-1), balance: '4', lines: 1 },
  ])
})
