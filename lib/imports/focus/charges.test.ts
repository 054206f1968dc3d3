import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import { readFocus } from './focus.ts'
import { platformTable } from './platforms.ts'
import { NOW, sourcesOf } from './test-sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'overflow-'))
beforeEach(() => {
  vi.stubEnv('TMPDIR', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  expect(readdirSync(folder)).toEqual([])
})
afterAll(() => rmSync(folder, { recursive: true }))

const HEADER =
  'InvoiceId,InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost'
const row = (id: string, service: string, cost: string, issuer = 'Resale') =>
  `${id},${issuer},A,2026-09-01,2026-10-01,USD,AWS,${service},Usage,${cost}`

async function read(rows: string[], mostInMemory: number): Promise<NewInvoice[]> {
  const terms = { platforms: platformTable(), dueDays: 30, paid: false, mostInMemory, now: NOW }
  const text = [HEADER, ...rows].join('\n')
  return readFocus(sourcesOf(text), terms, async (invoices) => [...invoices].map(({ invoice }) => invoice))
}

test('Charges spilled to disk result in the same invoices, to the last digit', async () => {
  const rows = Array.from({ length: 2000 }, (_, n) =>
    row(`I-${n % 90}`, `S ${n % 7}`, n % 3 === 0 ? '1e-20' : `${(n % 13) - 4}.005`),
  )
  const whole = await read(rows, 1_000_000)
  expect(whole).toHaveLength(90)
  expect(await read(rows, 50)).toEqual(whole)
  expect(await read(rows.toReversed(), 1)).toEqual(whole)
})

test('Two currencies of one invoice are detected in spilled charges, with the line', async () => {
  const rows = [row('I-1', 'S', '1'), row('I-2', 'S', '1'), row('I-1', 'S', '1').replace('USD', 'EUR')]
  await expect(read(rows, 1)).rejects.toMatchObject({
    problems: [{ line: 4, column: 'BillingCurrency', reason: '"EUR", but invoice I-1 began with "USD"' }],
  })
})
