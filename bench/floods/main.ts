import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { startApp } from '../http/program.ts'
import { addLoaded } from '../http/seed.ts'
import { everyAttack } from './all.ts'
import { bystander } from './bystander.ts'
import { KINDS } from './kinds.ts'
import { attack, HEADER, rowOf, usualLimits } from './table.ts'
import { printWeights } from './weights.ts'

// Measures the service of another customer during a flood. docs/evidence/floods.md explains each figure, and keeps them.

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '20,150,1500' },
    /** Requests a second of all attackers together: they take processor time from the server. */
    rate: { type: 'string', default: '600' },
    seconds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
    /** Sends one attack after the other to one process instead, and fails where another customer notices. */
    all: { type: 'boolean', default: false },
    /** With --all: the memory of the process in MB above which the system kills it; 0: unlimited. */
    cap: { type: 'string', default: '512' },
    /** Measures each call that needs no caller instead. */
    weights: { type: 'boolean', default: false },
    /** Writes the figures into docs/evidence/floods.md. */
    write: { type: 'boolean', default: false },
  },
})
const [seconds, rate] = [Number(options.seconds), Number(options.rate)]
const DOC_PATH = 'docs/evidence/floods.md'
const MARKER = '<!-- npm run floods -- --write -->'
const ALL_MARKER = '<!-- npm run floods -- --all --write -->'

const reaper = startProcessReaper()
const folder = await mkdtemp(join(tmpdir(), 'console-floods-'))
reaper.removeFolder(folder)
const embedded = await startEmbedded(join(folder, 'database'))
await migrate(embedded.url)
const database = openDatabase(embedded.url)
try {
  if (options.weights) await weights(embedded.url)
  else if (options.all) await all(embedded.url)
  else await floods(embedded.url)
} finally {
  await database.close()
  await embedded.release()
  await reaper.dismiss()
  await rm(folder, { recursive: true, force: true })
}

async function weights(url: string): Promise<void> {
  const app = await startApp(reaper, url, '1')
  await printWeights(app)
  await app.stop()
}

async function all(url: string): Promise<void> {
  const { lines, faults } = await everyAttack(reaper, url, {
    seconds,
    rate,
    capMb: Number(options.cap),
    only: options.only,
  })
  if (options.write) await saveTable(lines, undefined, ALL_MARKER)
  for (const fault of faults) console.log(fault)
  if (faults.length > 0) process.exitCode = 1
}

async function floods(url: string): Promise<void> {
  const attacker = await addLoaded(url, 'attacker', 100_000)
  const other = await addLoaded(url, 'other', 1000)
  const usual = usualLimits()
  const lines = [HEADER]
  const print = (line: string) => {
    lines.push(line)
    console.log(line)
  }
  const load = loadavg()[0]?.toFixed(1)
  console.log(HEADER)
  const idle = await startApp(reaper, url, '1', usual)
  await bystander(idle, other.key, 3)
  print(rowOf('none', 0, await bystander(idle, other.key, seconds), ''))
  await idle.stop()
  for (const connections of options.connections.split(',').map(Number))
    for (const kind of KINDS.filter((kind) => kind.includes(options.only))) {
      // Each kind has a new server, so that no kind measures the leftovers of the one before.
      const app = await startApp(reaper, url, '1', usual)
      await bystander(app, other.key, 2)
      const answered = attack({
        kind,
        url: app.url,
        keys: [attacker.key],
        connections,
        rate,
        seconds: seconds + 2,
      })
      // The connections are opened in the first seconds.
      await new Promise((resolve) => setTimeout(resolve, 1500))
      const seen = await bystander(app, other.key, seconds)
      print(rowOf(kind, connections, seen, await answered))
      await app.stop()
    }
  if (options.write) await saveTable(lines, load)
}

async function saveTable(lines: readonly string[], load: string | undefined, marker = MARKER): Promise<void> {
  const doc = await readFile(DOC_PATH, 'utf8')
  const until = doc.indexOf(marker) + marker.length
  const next = doc.indexOf('\n<!-- ', until)
  const when = `Taken on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}${load ? `, load ${load} before` : ''}; ${rate} requests a second of all attackers together, ${seconds} s each.`
  const rest = next < 0 ? '' : doc.slice(next)
  await writeFile(DOC_PATH, `${doc.slice(0, until)}\n\n${when}\n\n${lines.join('\n')}\n${rest}`)
}
