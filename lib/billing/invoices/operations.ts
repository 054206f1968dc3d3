import 'server-only'
import { readChargeSet } from '#lib/billing/charges/store.ts'
import { listStoredFiles } from '#lib/billing/invoice-files/store.ts'
import { readPayee } from '#lib/billing/payment-instructions/store.ts'
import { listInvoicePayments } from '#lib/billing/payments/read.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { rethrowTimeout } from '#lib/platform/api/error-mapper.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, readScopeAtOnce } from '#lib/platform/db/scope.ts'
import { downloadName } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { type ListOf, pageOf, pageToken, readPageToken } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import { env } from '#lib/platform/runtime/env.ts'
import type { Invoice } from './contract.ts'
import * as contract from './contract.ts'
import { readLinks } from './document-links.ts'
import { invoicesTable, linesTable } from './export.ts'
import { readableLinesTable } from './readable-lines.ts'
import { findInvoices } from './search.ts'
import { daysOf, type Owner, type Selection } from './selection.ts'
import { serializeInvoice, serializeInvoiceWithLines, serializeSummary } from './serialize.ts'
import { type InvoiceSort, keyOf, keyOfAnswered, keysetOf } from './sort.ts'
import * as store from './store.ts'
import { followsIndex, type InvoiceSummaryRow, listInvoiceSummaries, type Page } from './store.ts'
import { sumMatches } from './sums/summary.ts'
import { findKey } from './wire-ids.ts'
import { writeList } from './written-list.ts'

export const listInvoices = operation(
  contract.listInvoices,
  async (caller, { query }, { cachesBytes }) => {
    const { pageToken, maxResults = DEFAULT_MAX_RESULTS, orderBy, ...selection } = checked(query)
    const list = filtersOf(caller, selection, orderBy)
    const cursor = pageToken ? readPageToken(pageToken, list, keysetOf(orderBy).Key) : undefined
    const page = { limit: maxResults + 1, orderBy, cursor }
    const { baseUrl } = env()
    // A page of the console needs the members themselves.
    if (cachesBytes && !selection.search) {
      const written = await readAtOnce(caller, selection, orderBy, (tx) =>
        writeList(tx, caller, selection, { ...page, baseUrl, list }),
      )
      if (written) return written
    }
    const { rows, ...links } = pageOf(await rowsOf(caller, selection, page), {
      ...{ size: maxResults, cursor, list },
      keyOf: (row) => keyOf(row, orderBy),
    })
    const invoices = rows.map((row) => serializeInvoice(row, baseUrl))
    return { body: { invoices, rowCount: invoices.length, ...links } }
  },
  { isExact: true },
)

/** Returns the page tokens that lead from an invoice to its neighbors in the query's selection. */
export async function adjacentPageTokens(
  caller: Caller,
  invoice: Invoice,
  { pageToken: _, maxResults: __, orderBy, ...selection }: Input<typeof contract.listInvoices>['query'],
): Promise<{ newer: string; older: string }> {
  const key = keyOfAnswered({ ...invoice, id: await keyOrRefuse(caller, invoice.id) }, orderBy)
  const list = filtersOf(caller, selection, orderBy)
  const to = (direction: 'newer' | 'older') => pageToken({ key, direction }, list)
  return { newer: to('newer'), older: to('older') }
}

/** Reads rows in one statement, or in several for a search, which first finds matching months or ids. */
function rowsOf(caller: Owner, selection: Selection, page: Page): Promise<InvoiceSummaryRow[]> {
  if (selection.search)
    return readScope(caller, (tx) => findInvoices(tx, caller, selection, page), { mayBeOld: true })
  const read = (tx: Transaction) => listInvoiceSummaries(tx, caller, selection, page)
  return readAtOnce(caller, selection, page.orderBy, read)
}

function readAtOnce<T>(
  caller: Owner,
  selection: Selection,
  orderBy: InvoiceSort | undefined,
  fn: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return readScopeAtOnce(caller, fn, { isByKey: followsIndex(selection, orderBy), mayBeOld: true })
}

/** Returns the scope of a search's sums. */
function scopeOf({ search }: Selection): typeof readScope {
  return search ? readScope : readScopeAtOnce
}

/** Returns the filters that a page token is bound to. */
function filtersOf(
  { customerId }: Pick<Caller, 'customerId'>,
  selection: Selection,
  orderBy: InvoiceSort | undefined,
): ListOf {
  return [customerId, 'invoices', selection, ...(orderBy ? [orderBy] : [])]
}

/** Stored sums are fast; filters outside them add up invoices, within the statement timeout. */
const throwTooManyInvoices = rethrowTimeout(
  'To add up these invoices takes longer than a request may. Without `search`, `dueDate` and `state` it is quick, and so is a longer search.',
)

export const summarizeInvoices = operation(contract.summarizeInvoices, async (caller, { query }) => {
  const sums = await scopeOf(query)(caller, (tx) => sumMatches(tx, caller, checked(query)), {
    mayBeOld: true,
  }).catch(throwTooManyInvoices)
  return { body: serializeSummary(sums) }
})

export const exportInvoices = operation(contract.exportInvoices, async (caller, { query }) => {
  const { lines, columns, separator, decimal, ...selection } = checkedColumns(checked(query))
  const dialect = { separator, decimal }
  const name = fileNameOf(lines, selection)
  if (columns) return csvReply(name, readableLinesTable(caller, selection), dialect)
  if (lines === 'true') return csvReply(name, linesTable(caller, selection), dialect)
  return csvReply(name, invoicesTable(caller, selection), dialect)
})

export const exportInvoicesXlsx = operation(contract.exportInvoicesXlsx, async (caller, { query }) => {
  const { lines, columns, ...selection } = checkedColumns(checked(query))
  const name = fileNameOf(lines, selection)
  if (columns) return xlsxReply(name, 'Line items', readableLinesTable(caller, selection))
  if (lines === 'true') return xlsxReply(name, 'Lines', linesTable(caller, selection))
  return xlsxReply(name, 'Invoices', invoicesTable(caller, selection))
})

/** Returns the name of the list's file, with the requested days. */
function fileNameOf(lines: 'true' | 'false' | undefined, selection: Selection): string {
  return downloadName(lines === 'true' ? 'invoice-lines' : 'invoices', daysOf(selection))
}

async function readWhole(caller: Owner, key: string) {
  const [read, links, files, set, payee, payments] = await readScopeAtOnce(
    caller,
    (tx) =>
      Promise.all([
        store.readInvoice(tx, caller, key),
        readLinks(tx, caller, key),
        listStoredFiles(tx, caller.customerId, key),
        readChargeSet(tx, caller, key),
        readPayee(tx, caller, key),
        listInvoicePayments(tx, caller, key),
      ]),
    { isByKey: true },
  )
  return read && { read, links, files, set, payee, payments }
}

/** The key of the row that an id on the wire leads to. @throws Problem `not_found` */
export async function keyOrRefuse(caller: Owner, id: string): Promise<string> {
  const key = await readScope(caller, (tx) => findKey(tx, caller, id))
  if (key === undefined) throw new Problem('not_found')
  return key
}

export const readInvoice = operation(
  contract.readInvoice,
  async (caller, { params }) => {
    const id = params.invoice_id
    const atKey = await readWhole(caller, id)
    // Nearly always the id is the key, too; else another row may be what it leads to.
    const whole =
      atKey?.read.invoice.wireId === id ? atKey : await readWhole(caller, await keyOrRefuse(caller, id))
    if (!whole) throw new Problem('not_found')
    const { read, ...beside } = whole
    const body = serializeInvoiceWithLines(read.invoice, read.lines, beside, env().baseUrl)
    return {
      body,
      headers: {
        'Content-Location': contract.readInvoice.path.replace('{invoice_id}', encodeURIComponent(body.id)),
      },
    }
  },
  { isExact: true },
)

/** @throws Problem `invalid_request` for readable columns of invoices, which have none */
function checkedColumns<Query extends { lines?: 'true' | 'false'; columns?: 'words' }>(query: Query): Query {
  if (query.columns === undefined || query.lines === 'true') return query
  const detail = 'columns: needs lines=true'
  throw new Problem('invalid_request', detail, { errors: [{ parameter: 'columns', detail }] })
}

/** @throws Problem `filter_invalid` for a due date that is not a time in epoch milliseconds */
export function checked<Query extends Selection>(query: Query): Query {
  if (query.filter?.dueDate?.every((value) => /^\d{1,15}$/.test(value)) ?? true) return query
  const detail = 'dueDate: must be epoch milliseconds'
  throw new Problem('filter_invalid', detail, { errors: [{ parameter: 'filter', detail }] })
}
