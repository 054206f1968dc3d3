import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { barePool } from './bare.ts'
import { casesOf } from './cases.ts'
import { coldStart, firstByteOfInvoices, timesOfFiles, warmStart } from './files-and-starts.ts'
import { growthOf } from './growth.ts'
import { pgbench } from './pgbench.ts'
import { SESSION_SECRET, startApp, startPeer } from './program.ts'
import { inRounds, type Measured } from './rounds.ts'
import { addLoaded, addSmall, type Loaded, signedIn } from './seed.ts'
import { MEMORY_MB, soak } from './soak.ts'
import { growthTable, saveTable, tableOf } from './table.ts'

// Measures the API over HTTP, a plain server and the queries by themselves, in one run on one machine: ratios are
// comparable between machines, times are not. docs/evidence/speed.md explains each figure, and keeps them.

const { values: options } = parseArgs({
  options: {
    /** Sizes whose calls are compared with those of the first size. */
    invoices: { type: 'string', default: '10000,1000000' },
    /** Numbers of web processes to measure: the setting WEB_CONCURRENCY. */
    processes: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    /** Measures only the cases whose name contains this text. */
    only: { type: 'string', default: '' },
    /**
     * Minutes of a soak test: runs all requests in parallel, samples the memory of the process, and measures nothing
     * else.
     */
    minutes: { type: 'string' },
    /** A folder that keeps the customers, so that the next run finds them. */
    keep: { type: 'string' },
    /** Writes the figures into docs/evidence/speed.md. */
    write: { type: 'boolean', default: false },
  },
})
const setting = {
  connections: Number(options.connections),
  seconds: Number(options.seconds),
  rounds: Number(options.rounds),
}
const LARGE = 100_000
const SMALL_KEYS = 1000

// The servers under load read the page tokens that this process seals.
process.env.SESSION_SECRET = SESSION_SECRET
// Records the statements of answers that are computed.
process.env.ANSWER_CACHE_MB = '0'

const reaper = startProcessReaper()
const folder = await mkdtemp(join(tmpdir(), 'console-bench-'))
reaper.removeFolder(folder)
const embedded = await startEmbedded(options.keep ?? join(folder, 'database'))
await migrate(embedded.url)
const database = openDatabase(embedded.url)
try {
  await bench(embedded.url)
} finally {
  await database.close()
  await embedded.release()
  await reaper.dismiss()
  await rm(folder, { recursive: true, force: true })
}

async function bench(url: string): Promise<void> {
  print('Writing the customers …')
  const large = await addLoaded(url, 'large', LARGE)
  const sized = []
  for (const size of options.minutes ? [] : options.invoices.split(',').filter(Boolean))
    sized.push(await addLoaded(url, `sized-${size}`, Number(size)))
  const small = await addSmall(url, SMALL_KEYS)
  const another = options.minutes ? await addLoaded(url, 'another', LARGE) : undefined
  await vacuumAndCheckpoint(url)
  if (another) return memoryUnderLoad(url, [large, another], small, Number(options.minutes))

  const cases = await casesOf(large, small, setting.connections)
  const measured = new Map<string, Measured[]>()
  const peer = await startPeer(reaper, url)
  const pool = barePool(url, setting.connections)
  for (const processes of options.processes.split(',')) {
    const api = await startApp(reaper, url, processes)
    const measurements: Measured[] = []
    for (const one of cases.filter(({ name }) => name.includes(options.only))) {
      measurements.push(await inRounds(one, { api, peer, pool }, setting))
      print(tableOf(measurements.slice(-1)))
    }
    measured.set(processes, measurements)
    await api.stop()
  }
  await peer.stop()
  await pool.end()
  // How answers grow shows when they are computed.
  const api = await startApp(reaper, url, '1', { ANSWER_CACHE_MB: '0' })
  const few = { ...setting, rounds: Math.min(3, setting.rounds) }
  const growth = await growthOf(api, url, { customers: sized, small }, { ...few, only: options.only })
  if (options.only) {
    await api.stop()
    return print(growthTable(growth))
  }
  const files = await timesOfFiles(api, url, large)
  const firstByte = await firstByteOfInvoices(api, await signedIn(large.id))
  await api.stop()
  const list = cases[0]?.queries?.[0]
  await saveTable({
    setting,
    measured,
    growth,
    files,
    firstByte,
    starts: { cold: await coldStart(reaper, join(folder, 'cold')), warm: await warmStart(reaper, url) },
    pgbench: list && (await pgbench(url, list, setting)),
    write: options.write,
  })
}

async function memoryUnderLoad(
  url: string,
  large: readonly [Loaded, Loaded],
  small: Loaded[],
  minutes: number,
): Promise<void> {
  const api = await startApp(reaper, url, options.processes.split(',')[0] ?? '1')
  const cookie = await signedIn(large[0].id)
  const report = (passed: number, memory: number) =>
    print(`${passed.toFixed(1)} min: ${Math.round(memory)} MB`)
  const { start, most, answers, processor } = await soak(api, { large, small, cookie }, minutes, report)
  await api.stop()
  const { api: calls, pages, changes, files } = answers
  print(
    `RSS ${Math.round(start)} MB at first, ${Math.round(most)} of ${MEMORY_MB} MB at most in ${minutes} minutes, in which it answered ${calls} calls, ${pages} pages and ${changes} changes, and sent ${files} files: ${processor.toFixed(2)} s of processors for 1,000.`,
  )
}

/** Vacuums and writes a checkpoint, so that no autovacuum runs during a measurement. */
async function vacuumAndCheckpoint(url: string): Promise<void> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query('VACUUM ANALYZE')
  await owner.query('CHECKPOINT')
  await owner.end()
}

function print(text: string): void {
  console.log(text)
}
