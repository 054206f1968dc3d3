import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { addAsset, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { google } from '../test/fuzz/sceneries.ts'
import { setStage } from '../test/fuzz/stage.ts'
import { filesEntered } from './files-entered.ts'

// The files whose functions a PATCH of a quantity enters, in the order in which it comes to them first, for our own
// books and for a vendor. docs/architecture.md draws this way; where it is another one by now, this ends with 1: npm run way

const PAPER = 'docs/architecture.md'
const ASSET = 'workspace-suite-1'
const PATIENCE = { VENDOR_READ_MS: '60000', VENDOR_WRITE_MS: '60000', CHANGE_LEASE_MS: '300000' }

const folder = await mkdtemp(join(tmpdir(), 'console-way-'))
const embedded = await startEmbedded(folder)
await migrate(embedded.url)
const database = openDatabase(embedded.url)
try {
  await addCustomer('own')
  await addAsset('own', ASSET, { purchased: 20 })
  await show('Our own books', await addKey('own', ['it-manager']), ASSET)
  const stage = await setStage(google, { assets: 1, writers: 1, times: PATIENCE })
  const [key, seed] = [stage.keys[0], stage.seeds[0]]
  if (!key || !seed) throw new Error('The stage is empty.')
  await show('A vendor', key, stage.assetId(seed))
  await stage.close()
} finally {
  await database.close()
  await embedded.release()
  await rm(folder, { recursive: true, force: true })
}

async function show(name: string, key: string, assetId: string): Promise<void> {
  // What runs only once in a process, such as reading the settings, is no part of the way.
  await patch(key, assetId, 21)
  const files = await filesEntered(/^(app|lib)\//, () => patch(key, assetId, 22))
  console.log(`${name}: ${files.length} files\n${files.map((file) => `  ${file}`).join('\n')}\n`)
  const sections = (await readFile(PAPER, 'utf8')).split(/^## /m)
  const drawn = sections.find((section) => section.startsWith('The way of a PATCH')) ?? ''
  const missing = [`**${name}: ${files.length} files`, ...files].filter((text) => !drawn.includes(text))
  if (missing.length === 0) return
  console.log(`${PAPER} does not say: ${missing.join(', ')}\n`)
  process.exitCode = 1
}

async function patch(key: string, assetId: string, quantity: number): Promise<void> {
  const { PATCH } = await import('#app/billing/v1/assets/[asset_id]/route.ts')
  const body = JSON.stringify({ quantity })
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  }
  const url = `http://console.example/billing/v1/assets/${assetId}`
  const response = await PATCH(new Request(url, { method: 'PATCH', headers, body }))
  if (response.status !== 200)
    throw new Error(`The PATCH answered ${response.status}: ${await response.text()}`)
}
