import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as charges from '#lib/billing/charges/operations.ts'
import * as invoices from '#lib/billing/invoices/operations.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { platformTable } from '../focus/platforms.ts'
import { type FocusTerms, importFocus, type Run } from '../run.ts'
import { undoImport } from '../undo.ts'
import { type ChargeRow, chargesCsv, type DetailRow, detailsCsv } from './test-charges.ts'

export const requestMeta = { requestId: 'test-request' }

/** Opens a database, a folder for files, and customers to import for; `close` them at the end. */
export async function importers() {
  const db = await testDatabase({ today: '2026-11-22' })
  const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-charges-'))
  let files = 0
  function file(text: string): string {
    const name = join(folder, `${++files}.csv`)
    writeFileSync(name, text)
    return name
  }
  const bill = (...rows: DetailRow[]) => file(detailsCsv(rows))
  const usage = (...rows: ChargeRow[]) => file(chargesCsv(rows))

  /** Adds a new customer to import files for. */
  async function importer() {
    const id = await addNewCustomer()
    const customerId = newCustomerId(id)
    const load = (paths: string[], more: Partial<Run> = {}, terms: Partial<FocusTerms> = {}) =>
      importFocus(
        { paths, customerId, ...more },
        { platforms: platformTable(), dueDays: 30, paid: false, ...terms },
      )
    const caller = () => callerOf(id, 'finance-user')
    const read = async (invoice_id = 'N-1') => {
      const input = { params: { invoice_id }, query: {}, body: undefined }
      return (await invoices.readInvoice(await caller(), input, requestMeta)).body
    }
    const list = async (
      query: Parameters<typeof charges.listCharges>[1]['query'] = {},
      invoice_id = 'N-1',
    ) => {
      const input = { params: { invoice_id }, query, body: undefined }
      return (await charges.listCharges(await caller(), input, requestMeta)).body
    }
    const amounts = async () =>
      (
        await db.sql(
          id,
          `SELECT id, document_state AS state, form, total_amount AS total, balance_amount AS balance FROM invoices
           ORDER BY created_at, id`,
        )
      ).map(
        ({ id, state, form, total, balance }) =>
          [String(id), state, form, Number(total), Number(balance)] as const,
      )
    const count = async () => (await db.sql(id, 'SELECT count(*)::int AS count FROM charges'))[0]?.count
    const undo = (importId = '') => scope({ customerId }, (tx) => undoImport(tx, customerId, importId))
    return { id, customerId, load, read, list, amounts, count, undo, caller }
  }
  const close = async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  }
  return { db, file, bill, usage, importer, close }
}

export const importErrorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'not refused',
    ({ problems }) => problems,
  )
