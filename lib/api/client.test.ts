import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as invoices from '#lib/invoices/contract.ts'
import { listInvoices } from '#lib/invoices/queries.ts'
import { setQuantity } from '#lib/license-changes/queries.ts'
import { queriesOf } from './client.ts'
import type { AnyContract } from './contract.ts'

const modules: object[] = await Promise.all(
  globSync('lib/*/contract.ts').map((file) => import(/* @vite-ignore */ `../../${file}`)),
)
const contracts = modules
  .flatMap((module) => Object.values(module))
  .filter((value): value is AnyContract => 'permission' in Object(value))

describe('the browser', () => {
  it.each(contracts)('writes times as $name reads them, and other numbers as they are', (contract) => {
    const { query } = queriesOf<{ query: AnyContract }>({ query: contract })
    for (const [name, schema] of Object.entries<z.ZodType>(contract.query.shape)) {
      const isTime = Number(z.safeDecode(schema, '100').data) >= 100_000
      expect(query.search({ [name]: 100_000 }), name).toBe(`${name}=${isTime ? 100 : 100_000}`)
    }
  })

  it('writes what the contract reads, and nothing for what is absent', () => {
    const query = {
      filter: { platform: ['cloud-platform', 'a b'], status: ['PAST DUE'] },
      minCreationTime: Date.UTC(1971, 0, 1),
      maxCreationTime: Date.UTC(2026, 9, 31),
      search: 'IN-1 & 2/ü',
      maxResults: 20,
    }
    const search = listInvoices.search(query)
    const read = Object.fromEntries(new URLSearchParams(search))
    expect(z.decode(invoices.listInvoices.query, read)).toEqual(query)
    expect(search).toContain('filter=platform:cloud-platform|a%20b|status:PAST%20DUE')
    expect(listInvoices.path({ query: { search: '', filter: {} } })).toBe('/billing/v1/invoices')
  })

  it('puts an id into the path as one part', () => {
    const path = setQuantity.path({ params: { asset_id: 'a/b?c' } })
    expect(path).toBe('/billing/v1/assets/a%2Fb%3Fc')
  })
})
