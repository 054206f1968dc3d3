import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { type Program, startApp } from './http/program.ts'
import { addLoaded, signedIn } from './http/seed.ts'

// Measures the memory of a web process that renders long invoices: docs/evidence/files-and-exports.md keeps the figures.
// npm run build, then npm run drawings [-- lines]

const LENGTHS = process.argv[2] ? [Number(process.argv[2])] : [5000, 50_000]
/** Somewhat longer than an idle rendering thread lives, in milliseconds. */
const AFTERWARDS = 35_000

const reaper = startProcessReaper()
const folder = await mkdtemp(join(tmpdir(), 'console-drawing-'))
reaper.removeFolder(folder)
const embedded = await startEmbedded(join(folder, 'database'))
await migrate(embedded.url)
const database = openDatabase(embedded.url)
try {
  const { id, key } = await addLoaded(embedded.url, 'large', 1000)
  const cookie = await signedIn(id)
  console.log(
    '| lines | before | at most | when it was drawn | half a minute later | seconds | /livez at most |',
  )
  console.log('| ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const [at, lines] of LENGTHS.entries()) {
    const number = `IN-${String(1 + at).padStart(8, '0')}`
    await lengthen(number, lines)
    const app = await startApp(reaper, embedded.url, '1')
    console.log(
      await row(app, { number, lines }, { key: { authorization: `Bearer ${key}` }, cookie: { cookie } }),
    )
    await app.stop()
  }
} finally {
  await database.close()
  await embedded.release()
  await reaper.dismiss()
  await rm(folder, { recursive: true, force: true })
}

/** Adds so many lines of a vendor's usual length to an invoice. */
async function lengthen(number: string, lines: number): Promise<void> {
  const owner = new pg.Client({ connectionString: embedded.url })
  await owner.connect()
  await owner.query(
    `INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency, details)
     SELECT 'large', $1, n, 'cloud-platform', 'Compute Engine: N2 Instance Core running in Zurich ' || n, 0.0312 * n, n, 'USD',
       'Project alpine-' || n % 97 || ', 1 to 30 September 2026'
     FROM generate_series(2, $2::int - 1) n`,
    [number, lines],
  )
  await owner.end()
}

type Headers = Record<string, string>

async function row(
  app: Program,
  { number, lines }: { number: string; lines: number },
  { key, cookie }: { key: Headers; cookie: Headers },
): Promise<string> {
  const get = async (path: string, headers: Headers) => {
    const response = await fetch(`${app.url}${path}`, { headers })
    const bytes = await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path}: ${response.status}\n${Buffer.from(bytes)}`)
  }
  // Warms the process up, as if it had served for a while.
  for (let n = 0; n < 40; n++) await Promise.all([get('/invoices', cookie), get('/billing/v1/invoices', key)])
  await pause(2000)
  const before = app.memory() ?? 0
  let most = before
  let slowest = 0
  const watching = new AbortController()
  const watch = (async () => {
    while (!watching.signal.aborted) {
      const began = performance.now()
      await get('/livez', {})
      slowest = Math.max(slowest, performance.now() - began)
      most = Math.max(most, app.memory() ?? 0)
      await pause(20)
    }
  })()
  const began = performance.now()
  await get(`/billing/v1/invoices/${number}/file`, key)
  const seconds = (performance.now() - began) / 1000
  const afterRendering = app.memory() ?? 0
  watching.abort()
  await watch
  await pause(AFTERWARDS)
  const memorySizes = [before, most, afterRendering, app.memory() ?? 0].map((mb) => `${mb.toFixed()} MB`)
  return `| ${lines.toLocaleString('en')} | ${memorySizes.join(' | ')} | ${seconds.toFixed(1)} | ${slowest.toFixed()} ms |`
}
