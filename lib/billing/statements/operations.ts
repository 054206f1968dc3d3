import 'server-only'
import { z } from 'zod'
import { Day, Id } from '#lib/billing/invoices/order.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/api/contract.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { dated } from '#lib/platform/files/attachment.ts'
import { csvReply, xlsxReply } from '#lib/platform/files/table.ts'
import { pageOf, readPageToken } from '#lib/platform/lists/keyset.ts'
import { env } from '#lib/platform/runtime/env.ts'
import * as contract from './contract.ts'
import { statementTable } from './export.ts'
import { serializeItem, serializeSums } from './serialize.ts'
import * as store from './store.ts'

/** What a page token may hold: the columns of the statement's order. */
const Key = z.tuple([z.string().regex(/^[A-Z]{3}$/), Id, Day, Id])

export const readStatement = operation(contract.readStatement, async (caller, { query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, ...selection } = query
  const filters = [caller.customerId, 'statement', selection] as const
  const cursor = pageToken ? readPageToken(pageToken, filters, Key) : undefined
  const [today, sums, profiles, rows] = await readScope(
    caller,
    (tx) =>
      Promise.all([
        store.readDay(tx),
        store.sumOpenItems(tx, caller, selection),
        listBillingProfiles(tx, caller.customerId),
        store.listOpenItems(tx, caller, selection, maxResults + 1, cursor),
      ]),
    { mayBeOld: true },
  )
  const names = new Map(profiles.map(({ id, name }) => [id, name]))
  const { rows: shown, ...links } = pageOf(rows, maxResults, cursor, store.keyOf, filters)
  const { baseUrl } = env()
  const items = shown.map((row) => serializeItem(row, baseUrl))
  return { body: { ...serializeSums(today, sums, names), items, ...links, rowCount: items.length } }
})

export const exportStatement = operation(contract.exportStatement, async (caller, { query }) => {
  const { separator, decimal, ...selection } = query
  return csvReply(dated('statement'), statementTable(caller, selection), { separator, decimal })
})

export const exportStatementXlsx = operation(contract.exportStatementXlsx, async (caller, { query }) =>
  xlsxReply(dated('statement'), 'Statement', statementTable(caller, query)),
)
