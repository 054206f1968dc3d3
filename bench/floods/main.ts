import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { NO_LIMITS } from '../../test/fakes/no-limits.ts'
import { startApp } from '../http/program.ts'
import { addLoaded } from '../http/seed.ts'
import { bystander, type Seen } from './bystander.ts'
import { KINDS, type Kind } from './kinds.ts'
import { printWeights } from './weights.ts'

// Measures the service of another customer during a flood. docs/reliability.md explains each figure, and keeps them.

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '20,150,1500' },
    /** Requests a second of all attackers together: they take processor time from the server. */
    rate: { type: 'string', default: '600' },
    seconds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
    /** Measures each call that needs no caller instead. */
    weights: { type: 'boolean', default: false },
    /** Writes the figures into docs/reliability.md. */
    write: { type: 'boolean', default: false },
  },
})
const seconds = Number(options.seconds)
const DOC_PATH = 'docs/reliability.md'
const MARKER = '<!-- npm run floods -- --write -->'
const HEADER = `| attack | connections | list p50 | list p99 | /healthz p99 | exports | export p99 | memory | answered to the attackers |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |`

const reaper = startProcessReaper()
const folder = await mkdtemp(join(tmpdir(), 'console-floods-'))
reaper.removeFolder(folder)
const embedded = await startEmbedded(join(folder, 'database'))
await migrate(embedded.url)
const database = openDatabase(embedded.url)
try {
  await (options.weights ? weights(embedded.url) : floods(embedded.url))
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

async function floods(url: string): Promise<void> {
  const attacker = await addLoaded(url, 'attacker', 100_000)
  const other = await addLoaded(url, 'other', 1000)
  // The limits are the defaults.
  const usual = Object.fromEntries(Object.keys(NO_LIMITS).map((name) => [name, '']))
  const lines = [HEADER]
  const print = (line: string) => {
    lines.push(line)
    console.log(line)
  }
  const load = loadavg()[0]?.toFixed(1)
  console.log(HEADER)
  const idle = await startApp(reaper, url, '1', usual)
  await bystander(idle.url, other.key, 3, idle.memory)
  print(rowOf('none', 0, await bystander(idle.url, other.key, seconds, idle.memory), ''))
  await idle.stop()
  for (const connections of options.connections.split(',').map(Number))
    for (const kind of KINDS.filter((kind) => kind.includes(options.only))) {
      // Each kind has a new server, so that no kind measures the leftovers of the one before.
      const app = await startApp(reaper, url, '1', usual)
      await bystander(app.url, other.key, 2, app.memory)
      const attack = attacked(kind, app.url, attacker.key, connections)
      // The connections are opened in the first seconds.
      await new Promise((resolve) => setTimeout(resolve, 1500))
      const seen = await bystander(app.url, other.key, seconds, app.memory)
      print(rowOf(kind, connections, seen, await attack))
      await app.stop()
    }
  if (options.write) await saveTable(lines, load)
}

async function attacked(kind: Kind, url: string, key: string, connections: number): Promise<string> {
  const numbers = [connections, Number(options.rate), seconds + 2].map(String)
  const program = [
    '--conditions=react-server',
    '--disable-warning=ExperimentalWarning',
    'bench/floods/attackers.ts',
  ]
  const { stdout } = await promisify(execFile)(process.execPath, [...program, kind, url, key, ...numbers])
  const tally = Object.entries(JSON.parse(stdout) as Record<string, number>)
  return tally.map(([what, count]) => `${what}: ${count.toLocaleString('en')}`).join(', ')
}

function rowOf(
  kind: string,
  connections: number,
  { list, health, exports, memory }: Seen,
  answered: string,
): string {
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
  const open = `${exports.requests - exports.failed} of ${exports.requests}`
  const failed = list.failed + health.failed
  const cells = [
    kind,
    connections,
    ms(list.median),
    ms(list.p99) + (failed > 0 ? `, ${failed} failed` : ''),
    ms(health.p99),
    open,
    ms(exports.p99),
    `${memory.toFixed(0)} MB`,
    answered,
  ]
  return `| ${cells.join(' | ')} |`
}

async function saveTable(lines: readonly string[], load: string | undefined): Promise<void> {
  const doc = await readFile(DOC_PATH, 'utf8')
  const until = doc.indexOf(MARKER) + MARKER.length
  const when = `Taken on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, load ${load} before; ${options.rate} requests a second of all attackers together, ${seconds} s each.`
  await writeFile(DOC_PATH, `${doc.slice(0, until)}\n\n${when}\n\n${lines.join('\n')}\n`)
}
