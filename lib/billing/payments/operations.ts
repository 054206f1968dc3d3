import 'server-only'
import { z } from 'zod'
import { Day, Id } from '#lib/billing/invoices/sort.ts'
import { findKey } from '#lib/billing/invoices/wire-ids.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { pageOf, readPageToken } from '#lib/platform/lists/keyset.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/paging.ts'
import { DAY_MS, dayOf } from '#lib/platform/values/days.ts'
import * as contract from './contract.ts'
import * as read from './read.ts'
import { serializePayment } from './serialize.ts'

const Key = z.tuple([Day, Id])

export const listPayments = operation(contract.listPayments, async (caller, { query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, ...selection } = query
  const { filter, minPaidDate, maxPaidDate } = selection
  const filters = [caller.customerId, 'payments', selection] as const
  const cursor = pageToken ? readPageToken(pageToken, filters, Key) : undefined
  const rows = await readScope(
    caller,
    async (tx) => {
      // An unknown invoice has no payments.
      const keys = await Promise.all((filter?.invoice ?? []).map((id) => findKey(tx, caller, id)))
      const invoice = keys.filter((key) => key !== undefined)
      const days = {
        from: minPaidDate === undefined ? undefined : dayOf(Math.ceil(minPaidDate / DAY_MS) * DAY_MS),
        to: maxPaidDate === undefined ? undefined : dayOf(maxPaidDate),
      }
      const selected = { filter: { ...filter, ...(filter?.invoice ? { invoice } : {}) }, ...days }
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
