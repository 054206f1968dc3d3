import { setTimeout as pause } from 'node:timers/promises'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { openDatabase } from '#lib/platform/db/client.ts'

// One of several processes that share a database: it sends the PATCHes of a message all at once, and answers with their answers.

/** One PATCH, under an API key. */
export type Patch = { assetId: string; key: string; quantity: number; ifMatch?: string }

/** What a PATCH was answered. */
export type Patched = Patch & {
  status: number
  body: { current?: number; changedBy?: string; code?: string }
}

const asset = route(setQuantity)
const opened = openDatabase(process.argv[2] ?? '')

/** Of a process that is too busy for all of them at once: so often each is sent again. */
const MOST_TRIES = 30

async function send(patch: Patch): Promise<Patched> {
  for (let tries = 1; ; tries++) {
    const answer = await sendOnce(patch)
    if (answer.body.code !== 'service_unavailable' || tries === MOST_TRIES) return answer
    // Fixed wait: as Retry-After says.
    await pause(1000)
  }
}

async function sendOnce(patch: Patch): Promise<Patched> {
  const { assetId, key, quantity, ifMatch } = patch
  const body = JSON.stringify({ quantity })
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': `${body.length}`,
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
  }
  const url = `http://console.example/billing/v1/assets/${assetId}`
  const response = await asset.PATCH(new Request(url, { method: 'PATCH', headers, body }))
  return { ...patch, status: response.status, body: await response.json() }
}

process.on('message', async (patches: Patch[] | 'end') => {
  if (patches !== 'end') return void process.send?.(await Promise.all(patches.map(send)))
  await opened.close()
  process.disconnect()
})
// The starting process is gone.
process.on('disconnect', () => process.exit())
