import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as access from '#lib/access/contract.ts'
import * as accessCalls from '#lib/access/queries.ts'
import * as assets from '#lib/assets/contract.ts'
import * as assetCalls from '#lib/assets/queries.ts'
import * as comparisons from '#lib/comparisons/contract.ts'
import * as comparisonCalls from '#lib/comparisons/queries.ts'
import * as files from '#lib/invoice-files/contract.ts'
import * as fileCalls from '#lib/invoice-files/queries.ts'
import * as invoices from '#lib/invoices/contract.ts'
import * as invoiceCalls from '#lib/invoices/queries.ts'
import * as changes from '#lib/license-changes/contract.ts'
import * as changeCalls from '#lib/license-changes/queries.ts'
import * as statements from '#lib/statements/contract.ts'
import * as statementCalls from '#lib/statements/queries.ts'
import type { AnyContract } from './contract.ts'

const contracts: Record<string, AnyContract> = {
  ...access,
  ...assets,
  ...changes,
  ...comparisons,
  ...files,
  ...invoices,
  ...statements,
} as never
const calls = Object.entries({
  ...accessCalls,
  ...assetCalls,
  ...changeCalls,
  ...comparisonCalls,
  ...fileCalls,
  ...invoiceCalls,
  ...statementCalls,
})

describe('the browser calls say what their contracts say', () => {
  it.each(calls)('%s', (name, call) => {
    const contract = contracts[name] as AnyContract
    const params = Object.fromEntries(Object.keys(contract.params.shape).map((key) => [key, `{${key}}`]))
    expect(call.key({})[0]).toBe(contract.name)
    expect(decodeURIComponent(call.path({ params } as never))).toBe(contract.path)
  })

  it('writes what the contract reads, and nothing for what is absent', () => {
    const query = {
      filter: { platform: ['cloud-platform', 'a b'], status: ['PAST DUE'] },
      minCreationTime: Date.UTC(1971, 0, 1),
      maxCreationTime: Date.UTC(2026, 9, 31),
      search: 'IN-1 & 2/ü',
      maxResults: 20,
    }
    const search = invoiceCalls.listInvoices.search(query)
    const read = Object.fromEntries(new URLSearchParams(search))
    expect(z.decode(invoices.listInvoices.query, read)).toEqual(query)
    expect(search).toContain('filter=platform:cloud-platform|a%20b|status:PAST%20DUE')
    expect(invoiceCalls.listInvoices.path({ query: { search: '', filter: {} } })).toBe('/billing/v1/invoices')
  })

  it('puts an id into the path as one part', () => {
    const path = changeCalls.setQuantity.path({ params: { asset_id: 'a/b?c' } })
    expect(path).toBe('/billing/v1/assets/a%2Fb%3Fc')
  })
})
