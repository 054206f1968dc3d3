import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as charges from '#lib/billing/charges/operations.ts'
import { addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { platformTable } from '../focus/platforms.ts'
import { importFocus } from '../run.ts'
import type { ChargeRow, DetailRow } from './test-charges.ts'
import { importers, requestMeta } from './test-importers.ts'

let importSession: Awaited<ReturnType<typeof importers>>
beforeAll(async () => {
  importSession = await importers()
})
afterAll(() => importSession.close())

const importer = () => importSession.importer()
const bill = (...rows: DetailRow[]) => importSession.bill(...rows)
const usage = (...rows: ChargeRow[]) => importSession.usage(...rows)

describe('resold charges', () => {
  test('hide the vendor’s cost', async () => {
    const { load, count } = await importer()
    await load([usage({})], {}, { issuer: 'Resale', atCost: true })
    expect(await count()).toBe(0)
  })

  test('follow a map of accounts with their bill to each customer and profile', async () => {
    const [one, other] = [await importer(), await importer()]
    await addProfile(other.id, 'emea')
    const map = importSession.file(`account,customer,billingProfile\nA-1,${one.id},\nA-2,${other.id},emea\n`)
    const rows = [{}, { BillingAccountId: 'A-2', InvoiceDetailId: 'D-2' }]
    await importFocus(
      { paths: [bill(...rows), usage(...rows)] },
      { platforms: platformTable(), dueDays: 30, paid: false, map },
    )
    for (const { list, read, numberOf } of [
      { ...one, numberOf: 'N-1' },
      { ...other, numberOf: 'N-1/emea' },
    ]) {
      expect((await list({}, numberOf)).rowCount).toBe(1)
      expect((await read(numberOf)).charges).toMatchObject({ agrees: true, count: 1 })
    }
  })
})

describe('listCharges', () => {
  test('pages through many, line by line and the dearest first, there and back', async () => {
    const { load, list } = await importer()
    const rows = Array.from({ length: 57 }, (_, n) => ({
      InvoiceDetailId: `D-${n % 2}`,
      BilledCost: `${n === 9 ? '-' : ''}${n}.5`,
    }))
    await load([usage(...rows)])
    const all = (await list({ maxResults: 250 })).charges
    expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 57 }, (_, n) => n + 1))
    expect(all.slice(0, 2).map(({ detailId, amount }) => [detailId, amount])).toEqual([
      ['D-0', 56.5],
      ['D-0', 54.5],
    ])
    expect(all.at(-1)).toMatchObject({ detailId: 'D-1', amount: -9.5 })
    const lineCharges = all.filter(({ detailId }) => detailId === 'D-1')
    const first = await list({ line: 'D-1', maxResults: 20 })
    const second = await list({ line: 'D-1', maxResults: 20, pageToken: first.pageToken ?? '' })
    expect([...first.charges, ...second.charges]).toEqual(lineCharges)
    expect([second.pageToken, first.previousPageToken]).toEqual([undefined, undefined])
    const back = await list({ line: 'D-1', maxResults: 20, pageToken: second.previousPageToken ?? '' })
    expect(back.charges).toEqual(first.charges)
    // Lines of a summary have no ids, so that all charges are without a line.
    const lost = await list({ withoutLine: 'true', maxResults: 40 })
    const rest = await list({ withoutLine: 'true', maxResults: 40, pageToken: lost.pageToken ?? '' })
    expect([...lost.charges, ...rest.charges]).toEqual(all)
    expect((await list({ line: 'D-7' })).rowCount).toBe(0)
  })

  test('requires the role, a visible invoice, and a single filter', async () => {
    const { load, list, id } = await importer()
    await load([usage({})])
    const input = { params: { invoice_id: 'N-1' }, query: {}, body: undefined }
    for (const role of ['it-manager'] as const)
      await expect(charges.listCharges(await callerOf(id, role), input, requestMeta)).rejects.toMatchObject({
        code: 'permission_denied',
      })
    for (const role of ['finance-user', 'admin'] as const)
      expect((await charges.listCharges(await callerOf(id, role), input, requestMeta)).body.rowCount).toBe(1)
    await expect(list({}, 'N-2')).rejects.toMatchObject({ code: 'not_found' })
    const exported = { ...input, params: { invoice_id: 'N-2' } }
    await expect(
      charges.exportCharges(await callerOf(id, 'admin'), exported, requestMeta),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(list({ line: 'D-1', withoutLine: 'true' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    const { pageToken } = await list({ maxResults: 1 })
    expect(pageToken).toBeUndefined()
    await expect(list({ pageToken: 'x' })).rejects.toMatchObject({ code: 'page_token_invalid' })
  })

  test('returns all charges with their lines as a file, exactly, with disarmed formulas', async () => {
    const { load, caller } = await importer()
    await load([
      bill({}, { InvoiceDetailId: 'D-2', InvoiceDetailDescription: '=1+1', BilledCost: '0.01' }),
      usage(
        { BilledCost: '9.99999999999999999999' },
        { InvoiceDetailId: 'D-2', ChargeDescription: '=HYPERLINK("x")', BilledCost: '-0.5' },
        { InvoiceDetailId: 'D-3', ChargeDescription: '@x', BilledCost: '1' },
      ),
    ])
    const input = { params: { invoice_id: 'N-1' }, query: {}, body: undefined }
    const { body } = await charges.exportCharges(await caller(), input, requestMeta)
    const text = (await Array.fromAsync(body)).map((piece) => Buffer.from(piece).toString()).join('')
    const rows = text.trim().split('\r\n').slice(1)
    expect(rows.map((row) => row.split(',').slice(0, 5).join(','))).toEqual([
      '1,D-1,1,Compute,Usage',
      "2,D-2,2,'=1+1,Usage",
      '3,D-3,,,Usage',
    ])
    expect(rows[0]).toContain(',9.99999999999999999999,USD')
    expect(rows[1]).toContain(`"'=HYPERLINK(""x"")"`)
    expect(rows[1]).toContain(',-0.50,USD')
    expect(rows[2]).toContain(",'@x,")
  })
})
