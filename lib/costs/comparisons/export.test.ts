import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addNewCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { csv } from '#lib/platform/files/csv.ts'
import { readComparison } from './compared.ts'
import { comparisonTable } from './export.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase({ today: '2026-11-20' })
})
afterAll(() => database.close())

it('A new tax rate in the lines is reported as a tax rate, not as a new price', async () => {
  const id = await addNewCustomer()
  for (const [name, invoiceDate, price, totalAmount, taxRate] of [
    ['SEP', '2026-09-30', '26.74', '267.40', '19'],
    ['OCT', '2026-10-31', '26.96', '269.60', '20'],
  ] as const)
    await addInvoice(id, name, { invoiceDate, totalAmount, balanceAmount: '0' }, [
      { description: 'Compute', price, qty: '10', taxCategory: 'S', taxRate },
    ])
  const compared = await readComparison(await callerOf(id, 'admin'), { from: 'SEP', to: 'OCT' })
  expect(compared.causes.map(({ kind, effect }) => `${kind} ${effect.toFixed(2)}`)).toEqual(['taxRate 2.20'])
  let text = ''
  for await (const part of csv(comparisonTable(compared))) text += part
  const lines = text.split('\r\n')
  expect(lines.find((line) => line.startsWith('cause'))).toMatch(
    /^cause,.*,Compute,.*,taxRate,2\.20,.*,19,20$/,
  )
})
