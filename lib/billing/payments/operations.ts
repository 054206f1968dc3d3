import 'server-only'
import { z } from 'zod'
import { Day, Id } from '#lib/billing/invoices/sort.ts'
import { findKey } from '#lib/billing/invoices/wire-ids.ts'
import { operation } from '#lib/platform/api/operation.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { dated } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { pageOf, readPageToken } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import { DAY_MS, dayOf } from '#lib/platform/values/days.ts'
import * as contract from './contract.ts'
import { paymentsTable } from './export.ts'
import * as read from './read.ts'
import { serializePayment } from './serialize.ts'

const Key = z.tuple([Day, Id])

type Query = {
  filter?: Partial<Record<'kind' | 'currency' | 'state' | 'invoice', readonly string[]>> | undefined
  minPaidDate?: number | undefined
  maxPaidDate?: number | undefined
}

/** Finds the invoices that are asked for by their ids on the wire. An unknown invoice has no payments. */
async function selectionOf(tx: Transaction, caller: Caller, { filter, minPaidDate, maxPaidDate }: Query) {
  const keys = await Promise.all((filter?.invoice ?? []).map((id) => findKey(tx, caller, id)))
  const invoice = keys.filter((key) => key !== undefined)
  return {
    filter: { ...filter, ...(filter?.invoice ? { invoice } : {}) },
    from: minPaidDate === undefined ? undefined : dayOf(Math.ceil(minPaidDate / DAY_MS) * DAY_MS),
    to: maxPaidDate === undefined ? undefined : dayOf(maxPaidDate),
  }
}

export const listPayments = operation(contract.listPayments, async (caller, { query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, ...selection } = query
  const filters = [caller.customerId, 'payments', selection] as const
  const cursor = pageToken ? readPageToken(pageToken, filters, Key) : undefined
  const rows = await readScope(
    caller,
    async (tx) => {
      const selected = await selectionOf(tx, caller, selection)
      return read.listPayments(tx, caller, selected, { limit: maxResults + 1, cursor })
    },
    { mayBeOld: true },
  )
  const { rows: pageRows, ...links } = pageOf(rows, {
    size: maxResults,
    cursor,
    keyOf: read.keyOf,
    list: filters,
  })
  const payments = pageRows.map(serializePayment)
  return { body: { payments, rowCount: payments.length, ...links } }
})

export const exportPayments = operation(
  contract.exportPayments,
  async (caller, { query: { separator, decimal, ...query } }) =>
    csvReply(dated('payments'), tableOf(caller, query), { separator, decimal }),
)

export const exportPaymentsXlsx = operation(contract.exportPaymentsXlsx, async (caller, { query }) =>
  xlsxReply(dated('payments'), 'Payments', tableOf(caller, query)),
)

function tableOf(caller: Caller, query: Query) {
  return paymentsTable(caller, (tx) => selectionOf(tx, caller, query))
}
