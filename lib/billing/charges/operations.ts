import 'server-only'
import { z } from 'zod'
import { keyOrRefuse } from '#lib/billing/invoices/operations.ts'
import { readInvoiceRow } from '#lib/billing/invoices/store.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope, readScopeAtOnce } from '#lib/platform/db/scope.ts'
import { fileName } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { type ListOf, pageOf, readPageToken } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import * as contract from './contract.ts'
import { chargesTable } from './export.ts'
import { serializeCharge } from './serialize.ts'
import * as store from './store.ts'
import { NO_LINE } from './store.ts'

/** A place among the charges of an invoice. */
const Key = z.tuple([z.string().regex(/^\d{1,9}$/)])

export const listCharges = operation(contract.listCharges, async (caller, { params, query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, line, withoutLine } = query
  if (line !== undefined && withoutLine === 'true') throw notBoth()
  const which = withoutLine === 'true' ? NO_LINE : line
  const id = await keyOrRefuse(caller, params.invoice_id)
  const list: ListOf = [caller.customerId, 'charges', id, which ?? null]
  const cursor = pageToken ? readPageToken(pageToken, list, Key) : undefined
  const [invoice, rows] = await readScopeAtOnce(caller, (tx) =>
    Promise.all([
      readInvoiceRow(tx, caller, id),
      store.listCharges(tx, caller, id, { which, limit: maxResults + 1, cursor }),
    ]),
  )
  if (!invoice) throw new Problem('not_found')
  const page = pageOf(rows, { size: maxResults, cursor, keyOf: ({ position }) => [String(position)], list })
  const { rows: pageRows, ...links } = page
  return { body: { charges: pageRows.map(serializeCharge), rowCount: pageRows.length, ...links } }
})

export const exportCharges = operation(contract.exportCharges, async (caller, { params, query }) => {
  const id = await keyOrRefuse(caller, params.invoice_id)
  return csvReply(await nameOf(caller, id), chargesTable(caller, id), query)
})

export const exportChargesXlsx = operation(contract.exportChargesXlsx, async (caller, { params }) => {
  const id = await keyOrRefuse(caller, params.invoice_id)
  return xlsxReply(await nameOf(caller, id), 'Charges', chargesTable(caller, id))
})

function notBoth(): Problem {
  const detail = 'withoutLine: not together with line'
  return new Problem('invalid_request', detail, { errors: [{ parameter: 'withoutLine', detail }] })
}

/** @throws Problem `not_found` */
async function nameOf(caller: Caller, id: string): Promise<string> {
  const invoice = await readScope(caller, (tx) => readInvoiceRow(tx, caller, id))
  if (!invoice) throw new Problem('not_found')
  return fileName(`${invoice.wireId} charges`)
}
