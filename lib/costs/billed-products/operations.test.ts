import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { listInvoices, summarizeInvoices } from '#lib/billing/invoices/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addKey, addMember, addProfile } from '#lib/platform/db/test-rows.ts'
import { MAX_PRODUCTS } from './contract.ts'
import { readBilledProducts } from './operations.ts'

let database: TestDatabase
const keys = { finance: '', it: '', emea: '', eve: '' }

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  database = await testDatabase({ today: '2026-11-20' })
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  const add = (
    id: string,
    invoiceDate: string,
    overrides: object,
    lines?: Parameters<typeof addInvoice>[3],
  ) => addInvoice('northwind', id, { invoiceDate, dueDate: '2026-12-31', ...overrides }, lines)
  const plus = (price: string, qty = '1') => ({ description: 'Business Plus', price, qty })
  const other = { description: 'Support', price: '10' }
  await add('SEP', '2026-09-30', { totalAmount: '34.94' }, [plus('12.47', '2'), other])
  // Prices of whole lines, as the total shows.
  await add('OCT', '2026-10-31', { totalAmount: '40' }, [plus('30', '3'), other])
  await add('OCT-2', '2026-10-01', { totalAmount: '10.01' }, [plus('10.005')])
  await add('YEN', '2026-10-01', { currency: 'JPY', totalAmount: '901' }, [plus('300.4', '3')])
  await add('EMEA', '2026-10-15', { billingProfileId: 'emea', totalAmount: '5' }, [plus('5')])
  await add('CREDIT', '2026-10-16', { totalAmount: '-7', balanceAmount: '0' }, [
    { description: 'Business Plus, credit', price: '-7' },
  ])
  await add('DRAFT', '2026-10-31', { documentState: 'draft', balanceAmount: '0', totalAmount: '9' }, [
    plus('9'),
  ])
  await addInvoice('southwind', 'S', { invoiceDate: '2026-10-31' }, [plus('77')])
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.it = await addKey('northwind', ['it-manager'])
  keys.eve = await addKey('southwind', ['admin'])
  const issuedBy = await addMember('northwind', { roles: ['finance-user'], billingProfiles: ['emea'] })
  keys.emea = await addKey('northwind', ['finance-user'], { issuedBy })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

function request(
  search: string,
  key = keys.finance,
  operation: Parameters<typeof route>[0] = readBilledProducts,
) {
  const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {}
  return route(operation).GET(
    new Request(`http://console.example/billing/v1/billed-products?${search}`, { headers }),
  )
}

const [SEP, OCT] = ['2026-09-01', '2026-10-01'].map((day) => Date.parse(day))

describe('GET /billing/v1/billed-products', () => {
  it('adds up the lines of a product by currency and month, each as it is billed', async () => {
    const response = await request('product=business%20PLUS')
    expect(response.status).toBe(200)
    const platform = 'cloud-platform'
    expect(await response.json()).toEqual({
      products: [
        {
          ...{ product: 'Business Plus', platform, currency: 'USD', amount: 69.95 },
          months: [
            { month: OCT, qty: 5, amount: 45.01, count: 3 },
            { month: SEP, qty: 2, amount: 24.94, count: 1 },
          ],
        },
        {
          ...{ product: 'Business Plus', platform, currency: 'JPY', amount: 901 },
          months: [{ month: OCT, qty: 3, amount: 901, count: 1 }],
        },
        {
          ...{ product: 'Business Plus, credit', platform, currency: 'USD', amount: -7 },
          months: [{ month: OCT, qty: 1, amount: -7, count: 1 }],
        },
      ],
      otherCount: 0,
    })
  })

  it('accepts dates and filters, and returns an empty result without matches', async () => {
    const amounts = async (search: string) =>
      (await (await request(search)).json()).products.map(({ amount }: { amount: number }) => amount)
    expect(await amounts(`product=plus&minCreationTime=${OCT}`)).toEqual([45.01, 901, -7])
    expect(await amounts(`product=plus&maxCreationTime=${SEP}`)).toEqual([])
    expect(await amounts('product=plus&filter=currency:JPY')).toEqual([901])
    expect(await amounts('product=plus&filter=billingProfile:emea')).toEqual([5])
    expect(await amounts('product=%25')).toEqual([])
    expect(await amounts('product=us')).toEqual([])
  })

  it('lists the products with the most invoices, and counts the others', async () => {
    await addCustomer('many')
    const lines = Array.from({ length: MAX_PRODUCTS + 3 }, (_, at) => ({
      description: `Part ${String(at).padStart(2, '0')}`,
      price: '1',
    }))
    await addInvoice('many', 'ALL', { totalAmount: String(lines.length) }, lines)
    await addInvoice('many', 'LAST', { totalAmount: '1' }, lines.slice(-1))
    const { products, otherCount } = await (
      await request('product=part', await addKey('many', ['finance-user']))
    ).json()
    expect(products).toHaveLength(MAX_PRODUCTS)
    expect(products[0]).toMatchObject({ product: 'Part 22', amount: 2 })
    expect(otherCount).toBe(3)
  })

  test.each([
    ['finance', 200],
    ['it', 403],
    ['eve', 200],
    ['nobody', 401],
  ])('%s is answered %i', async (who, status) => {
    expect((await request('product=plus', keys[who as keyof typeof keys] ?? '')).status).toBe(status)
  })

  it('hides bills of other customers and of other billing profiles', async () => {
    const months = async (key: string) => (await (await request('product=plus', key)).json()).products
    expect(await months(keys.eve)).toMatchObject([{ amount: 77 }])
    expect(await months(keys.emea)).toMatchObject([{ amount: 5 }])
  })

  test.each(['', 'product=', `product=${'x'.repeat(201)}`, 'product=a&filter=status:OPEN'])(
    'refuses ?%s',
    async (search) => {
      expect((await request(search)).status).toBe(400)
    },
  )
})

describe('invoices of a product, and credit notes', () => {
  const ids = async (search: string) =>
    (await (await request(search, keys.finance, listInvoices)).json()).invoices.map(
      ({ id }: { id: string }) => id,
    )

  it('are listed and added up by the same filter', async () => {
    expect(await ids('product=SUPPORT')).toEqual(['OCT', 'SEP'])
    expect(await ids('filter=document:credit-note')).toEqual(['CREDIT'])
    expect(await ids('filter=document:CREDIT-NOTE|invoice|currency:JPY')).toEqual(['YEN'])
    expect(await ids('product=plus&search=sep')).toEqual(['SEP'])
    for (const search of ['product=support', 'filter=document:credit-note', 'filter=document:summary']) {
      const { count } = await (await request(search, keys.finance, summarizeInvoices)).json()
      expect(count).toBe((await ids(search)).length)
    }
  })

  it('exclude other documents', async () => {
    expect((await request('filter=document:receipt', keys.finance, listInvoices)).status).toBe(400)
  })
})
