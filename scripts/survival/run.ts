import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { readInvoiceFile } from '#lib/billing/invoice-files/operations.ts'
import { exportInvoices, readInvoice } from '#lib/billing/invoices/operations.ts'
import { saveIssuer } from '#lib/billing/parties/issuers.ts'
import { setBillingProfile } from '#lib/identity/customers/billing-profiles.ts'
import { importInvoices } from '#lib/imports/invoices/import.ts'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { disagreements } from './agreement.ts'
import { ISSUERS } from './invoices.ts'

const ORIGIN = { requestId: 'survival' }
const BATCH = 200
/**
 * Text that a spreadsheet evaluates as a formula, at any place where a cell may begin; a signed number is not a
 * formula.
 */
const FORMULA = /^[\p{Z}\p{C}"]*[=+\-@＝＋－＠]/u

/** Stores the invoices, and all that is printed with them. */
export async function store(customerId: CustomerId, invoices: readonly NewInvoice[]): Promise<void> {
  await scope({ customerId }, async (tx) => {
    for (const issuer of ISSUERS) await saveIssuer(tx, customerId, issuer, randomUUID())
    const [first] = ISSUERS
    const { address = null, taxId = null } = first ?? {}
    await setBillingProfile(tx, customerId, { id: 'default', address, taxId })
  })
  for (let at = 0; at < invoices.length; at += BATCH)
    await scope({ customerId }, (tx) => importInvoices(tx, customerId, invoices.slice(at, at + BATCH)))
}

export type Survived = { invoices: number; lines: number; differences: string[] }

/**
 * Reads each invoice as JSON, as a PDF and from both CSV files, and returns the differences.
 * @param onFile called with each PDF
 */
export async function survive(
  caller: Caller,
  invoices: readonly NewInvoice[],
  onFile: (pdf: Uint8Array, index: number) => Promise<string[]> | string[] = () => [],
): Promise<Survived> {
  const differences: string[] = []
  const [rows, lines] = [await rowsOf(caller, differences), await rowsOf(caller, differences, 'true')]
  let count = 0
  for (const [index, invoice] of invoices.entries()) {
    const input = { params: { invoice_id: invoice.number }, query: {}, body: undefined }
    const { body: json } = await readInvoice(caller, input, ORIGIN)
    const { body: pdf } = await readInvoiceFile(caller, input, ORIGIN)
    const key = keyOf(invoice.number)
    const csvLines = lines.get(key) ?? []
    const invoiceDifferences = disagreements({
      input: invoice,
      json,
      pdf,
      csv: rows.get(key)?.[0] ?? {},
      csvLines,
    })
    for (const difference of [...invoiceDifferences, ...(await onFile(pdf, index))])
      differences.push(`${JSON.stringify(invoice.number)}: ${difference}`)
    count += csvLines.length
  }
  return { invoices: rows.size, lines: count, differences }
}

/** Returns the rows of a CSV file by the number behind the last # of the invoice's number. */
async function rowsOf(caller: Caller, differences: string[], lines: 'true' | 'false' = 'false') {
  const query = { lines }
  const { body } = await exportInvoices(caller, { params: {}, query, body: undefined }, ORIGIN)
  const records = Readable.from(body).pipe(parse({ columns: true, bom: true }))
  const rows = new Map<string, Record<string, string>[]>()
  for await (const record of records as AsyncIterable<Record<string, string>>) {
    for (const [column, cell] of Object.entries(record))
      if (FORMULA.test(cell) && !/^-\d+(\.\d+)?$/.test(cell))
        differences.push(`CSV: ${column} begins a formula: ${JSON.stringify(cell)}`)
    const key = keyOf(record.id ?? '')
    const csvRows = rows.get(key)
    if (csvRows) csvRows.push(record)
    else rows.set(key, [record])
  }
  return rows
}

function keyOf(id: string): string {
  return id.slice(id.lastIndexOf('#') + 1)
}
