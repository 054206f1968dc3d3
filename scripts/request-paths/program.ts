import { mountedBy } from '#lib/platform/api/endpoint.ts'
import { isOutgoing } from '#lib/platform/api/operation.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { addAsset, addCustomer, addInvoice, addKey } from '#lib/platform/db/test-rows.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { google } from '../../test/fuzz/scenarios.ts'
import { setStage } from '../../test/fuzz/stage.ts'
import { executedFiles } from './executed-files.ts'

// Measures the paths of four requests on the migrated, empty database of the first argument, and prints them as JSON;
// `in-order` as the second argument adds the order. A separate process, because a test's files are transformed.

type Sent = { key: string; path: string; quantity?: number }

const ASSET = 'workspace-suite-1'
/** V8 stops at each statement to record the order, and nothing may time out because of that. */
const TIMEOUTS = { VENDOR_READ_MS: '60000', VENDOR_WRITE_MS: '60000', CHANGE_LEASE_MS: '300000' }

const [url = '', sort] = process.argv.slice(2)
const database = openDatabase(url)
await addCustomer('own')
await addAsset('own', ASSET, { purchased: 20 })
await addInvoice('own', 'INV-1')
const stage = await setStage(google, { assets: 1, writers: 1, times: TIMEOUTS })
try {
  const [vendorKey, seed] = [stage.keys[0], stage.seeds[0]]
  if (!vendorKey || !seed) throw new Error('The stage is empty.')
  const asset = senderTo(await import('#app/billing/v1/assets/[asset_id]/route.ts'))
  const invoices = senderTo(await import('#app/billing/v1/invoices/route.ts'))
  const validate = senderTo(await import('#app/auth/v1/validate/route.ts'))
  const key = await addKey('own', ['it-manager', 'finance-user'])
  const path = `/billing/v1/assets/${ASSET}`
  const vendorPath = `/billing/v1/assets/${stage.assetId(seed)}`
  let quantity = 20
  const measure = (request: () => Promise<void>) => executedFiles(request, sort === 'in-order')
  const paths = {
    'PATCH of our own books': await measure(() => asset({ key, path, quantity: ++quantity })),
    'PATCH at a vendor': await measure(() =>
      asset({ key: vendorKey, path: vendorPath, quantity: ++quantity }),
    ),
    'list of invoices': await measure(() => invoices({ key, path: '/billing/v1/invoices' })),
    validate: await measure(() => validate({ key, path: '/auth/v1/validate' })),
    planted: await measure(() => {
      dayOf(0)
      return validate({ key, path: '/auth/v1/validate' })
    }),
  }
  process.stdout.write(JSON.stringify(paths))
} finally {
  await stage.close()
  await database.close()
}

/** Returns a function that sends a request to a route as the HTTP server does, without Next. */
function senderTo({ GET }: { GET: Parameters<typeof mountedBy>[0] }): (sent: Sent) => Promise<void> {
  const mounted = mountedBy(GET)
  if (!mounted) throw new Error('The route mounts nothing.')
  return async ({ key, path, quantity }) => {
    const body = quantity === undefined ? '' : JSON.stringify({ quantity })
    const answer = await mounted.respond({
      method: body ? 'PATCH' : 'GET',
      path,
      search: '',
      headers: new Headers({
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      }),
      read: async () => Buffer.from(body),
      gone: new AbortController().signal,
    })
    const { status, body: answered } = answer
    if (isOutgoing(answered)) while (!(await answered.next()).done);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${answered}`)
  }
}
