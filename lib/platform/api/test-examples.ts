import { addExampleCharges } from '#lib/billing/charges/test-rows.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addInvoice, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { addEvent } from '#lib/platform/history/test-rows.ts'
import { exampleRows } from './test-example-rows.ts'

const DAY = 86_400_000

/** Adds the customer of all examples to a database. Returns a key of each role, and one without a role. */
export async function addExamples(database: TestDatabase) {
  const {
    addChange,
    acknowledge,
    addColleagues,
    addCredit,
    addDirectory,
    addPosted,
    addRecipients,
    addSignOn,
    addWebhooks,
    storeDocument,
  } = exampleRows(database)
  await addCustomer('northwind')
  const expiresAt = new Date(Date.now() + 90 * DAY)
  const admin = await addKey('northwind', ['admin'], { id: 'k-nightly', name: 'nightly-sync', expiresAt })
  const it = await addKey('northwind', ['it-manager'])
  const finance = await addKey('northwind', ['finance-user'])
  const none = await addKey('northwind', [])
  await addEvent('northwind', { at: new Date('2026-10-30T11:00:00Z') })
  const ana = { id: 'm-ana', name: 'Ana Ruiz', email: 'ana@northwind.example' }
  await addMember('northwind', { ...ana, roles: ['admin'] })
  await database.sql(
    'northwind',
    `INSERT INTO saved_views (customer_id, id, member_id, name, path, query, is_pinned, position, created_at)
     VALUES ('northwind', 'b6a1f0c2-0001', 'm-ana', 'Idle plans', '/assets', 'filter=usage:idle&orderBy=idle+desc', true, 0,
       to_timestamp(1793786400))`,
  )
  await addColleagues()
  await addCredit()
  await addSignOn()
  await addDirectory()
  await addWebhooks()
  await addRecipients()
  await addKey('northwind', ['finance-user'], {
    ...{ id: 'k-erp', name: 'ERP', issuedBy: 'm-ana', billingProfiles: ['default'] },
    ...{
      addresses: ['192.0.2.0/24', '2001:db8::/32'],
      lastUsedAt: new Date(),
      lastUsedAddress: '192.0.2.17',
    },
    expiresAt: new Date(Date.now() + 90 * DAY),
  })
  await addKey('northwind', ['finance-user'], { id: 'k-import', replacedBy: 'k-import-2' })
  await addKey('northwind', ['finance-user'], { id: 'k-import-2' })
  await addSession('northwind', 'm-ana', {
    digest: 'W2ezwqGmGZ5f0kXgP7rO3bqfZQHhDn1u9sTtYvKcE4A',
  })
  await addAsset('northwind', 'cloud-platform-3f6a90', null, {
    name: 'Production',
    createdAt: new Date('2026-01-15T09:00:00Z'),
  })
  await addAsset(
    'northwind',
    'workspace-suite-81f3c2',
    { purchased: 250, assigned: 182 },
    { name: 'Business Plus', createdAt: new Date('2026-02-02T09:00:00Z'), seatVersion: 3 },
  )
  await addAsset(
    'northwind',
    'workspace-suite-5d20a7',
    { purchased: 60, assigned: 57, isCommitmentPlan: true, commitmentEnd: new Date('2027-03-01T00:00:00Z') },
    {
      name: 'Enterprise Standard',
      createdAt: new Date('2026-03-01T09:00:00Z'),
      commitmentStart: new Date('2026-03-01T00:00:00Z'),
      skuName: 'Enterprise Standard',
      renewalType: 'AUTO_RENEW',
    },
  )
  await addAsset(
    'northwind',
    'office-suite-7e91b4',
    { purchased: 40, assigned: 31 },
    { name: 'Office E3', skuName: 'Office E3', createdAt: new Date('2026-04-07T09:00:00Z') },
  )
  // The vendor is not configured here, so it is unreachable and its open change stays open.
  await addAsset(
    'northwind',
    'office-suite-c04d11',
    { purchased: 100, assigned: 90 },
    { name: 'Office E1', vendor: 'microsoft-partner-center', createdAt: new Date('2026-05-04T09:00:00Z') },
  )
  await addChange({
    id: '5f0c6a1e-0001',
    asset: 'workspace-suite-81f3c2',
    from: 240,
    to: 250,
    state: 'APPLIED',
    at: '2026-09-01T08:30:00Z',
  })
  await addChange({
    id: '5f0c6a1e-0002',
    asset: 'office-suite-c04d11',
    from: 100,
    to: 120,
    state: 'UNKNOWN',
    at: '2026-11-02T10:15:00Z',
  })
  await addChange({
    id: '5f0c6a1e-0003',
    asset: 'office-suite-c04d11',
    from: 100,
    to: 110,
    state: 'UNCLEAR',
    at: '2026-10-30T10:00:00Z',
  })
  await acknowledge('5f0c6a1e-0003', '2026-10-31T11:00:00Z')
  await addInvoice(
    'northwind',
    'IN-2025-0917',
    { invoiceDate: '2025-09-30', dueDate: '2025-10-30', totalAmount: '1250.00', balanceAmount: '1250.00' },
    [
      { description: 'Compute', price: '1100', details: 'europe-west4' },
      { description: 'Storage', price: '0.05', qty: '3000' },
    ],
  )
  await storeDocument('IN-2025-0917', 'invoice 0917.pdf')
  await addInvoice(
    'northwind',
    'IN-2025-1017',
    { invoiceDate: '2025-10-31', dueDate: '2025-11-30', totalAmount: '1400.00', balanceAmount: '0' },
    [
      { description: 'Compute', price: '1220', details: 'europe-west4' },
      { description: 'Storage', price: '0.05', qty: '3600' },
    ],
  )
  const fernhill = { platform: 'web-services', issuer: 'Fernhill Cloud' }
  await addInvoice('northwind', '2026-11-12ab34cd', {
    ...fernhill,
    documentState: 'draft',
    form: 'summary',
    invoiceDate: '2026-11-29',
    dueDate: '2026-12-29',
    totalAmount: '812.40',
    balanceAmount: '0',
  })
  const october = { ...fernhill, currency: 'EUR', invoiceDate: '2025-11-06', dueDate: '2025-12-06' }
  await addInvoice('northwind', 'FC-2025-0107', { ...october, totalAmount: '500', balanceAmount: '0' })
  await addInvoice(
    'northwind',
    'CN-2025-0031',
    {
      ...october,
      totalAmount: '-40',
      balanceAmount: '-40',
      corrects: 'FC-2025-0107',
      billingAccount: '0925',
      periodStart: '2025-10-01',
      periodEnd: '2025-11-01',
    },
    [{ description: 'Object storage', price: '-40' }],
  )
  await addPosted()
  await addExampleCharges()
  return { admin, it, finance, none }
}
