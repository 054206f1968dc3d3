import 'server-only'
import { cache } from 'react'
import * as operations from '#lib/costs/comparisons/operations.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { requestMeta } from '../../request-meta.ts'

/**
 * Compares two invoices, or returns why they can't be compared. Cached per request for the page and its title.
 */
export const compare = cache(async (caller: Caller, from: string, to: string) => {
  const input = { params: {}, query: { from, to }, body: undefined }
  try {
    return (await operations.compareInvoices(caller, input, await requestMeta())).body
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return error
    throw error
  }
})
