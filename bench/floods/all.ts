import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { type Program, startApp } from '../http/program.ts'
import { addLoaded } from '../http/seed.ts'
import { CALLS } from './anonymous-calls.ts'
import { bystander, type Seen } from './bystander.ts'
import { attack, HEADER, rowOf, usualLimits } from './table.ts'

/** Longest times of another customer's calls during any attack, and the memory at the end. */
const PROMISED = { listMs: 200, healthMs: 100, endMb: 350 }

const CONNECTIONS = 500
/** Time after the last attack until the memory is read, in milliseconds: the drawing thread ends after 20 s. */
const REST_MS = 25_000
/** Parallel exports, with lines. */
const EXPORTS = ['invoices.csv?lines=true', 'invoices.xlsx?lines=true', 'statement.csv']

export type AllOptions = { seconds: number; rate: number; capMb: number; only: string }

/**
 * Sends one attack after the other to one process: each call that needs no caller, from 500 addresses, then the most
 * expensive calls and exports of three customers.
 * @returns the lines of the table, and each broken promise
 */
export async function everyAttack(
  reaper: ProcessReaper,
  url: string,
  { seconds, rate, capMb, only }: AllOptions,
): Promise<{ lines: string[]; faults: string[] }> {
  const customers = [
    await addLoaded(url, 'attacker', 100_000),
    await addLoaded(url, 'attacker-2', 20_000),
    await addLoaded(url, 'attacker-3', 20_000),
  ]
  const keys = customers.map(({ key }) => key)
  const other = await addLoaded(url, 'other', 1000)
  const healthPort = await freePort()
  const program = await startApp(reaper, url, '1', { ...usualLimits(), HEALTH_PORT: String(healthPort) })
  const app = { ...program, healthUrl: `http://127.0.0.1:${healthPort}` }
  const cap = capMb > 0 ? capMemory(app.pid, capMb) : undefined
  const [lines, faults]: [string[], string[]] = [[], []]
  const print = (line: string) => {
    lines.push(line)
    console.log(line)
  }
  const note = (kind: string, connections: number, seen: Seen, answered: string) => {
    print(rowOf(kind, connections, seen, answered))
    faults.push(...faultsOf(kind, seen))
  }
  console.log(cap ? `Limited to ${capMb} MB by a control group.` : 'Not limited by a control group.')
  print(HEADER)
  await bystander(app, other.key, 3)
  note('none', 0, await bystander(app, other.key, seconds), '')
  const kinds = [...Object.keys(CALLS), 'dearest calls', 'slow readers'].filter((kind) => kind.includes(only))
  for (const kind of kinds) {
    const answered = attack({
      kind,
      url: app.url,
      keys,
      connections: CONNECTIONS,
      rate,
      seconds: seconds + 2,
    })
    // The connections are opened in the first second.
    await sleep(1200)
    note(kind, CONNECTIONS, await bystander(app, other.key, seconds), await answered)
  }
  const files = exported(app, keys, seconds + 2)
  note('three exports', EXPORTS.length, await bystander(app, other.key, seconds), await files)
  await sleep(REST_MS)
  const left = app.memory() ?? Number.NaN
  print(`\nAt the end, the process held ${left.toFixed(0)} MB.`)
  if (!(left <= PROMISED.endMb)) faults.push(`memory: ${left.toFixed(0)} MB at the end`)
  await app.stop()
  cap?.remove()
  return { lines, faults }
}

function faultsOf(kind: string, { list, health }: Seen): string[] {
  const failed = list.failed + health.failed
  return [
    ...(list.p99 <= PROMISED.listMs ? [] : [`${kind}: a list took ${list.p99.toFixed(0)} ms`]),
    ...(health.p99 <= PROMISED.healthMs ? [] : [`${kind}: /healthz took ${health.p99.toFixed(0)} ms`]),
    ...(failed === 0 ? [] : [`${kind}: ${failed} answers failed`]),
  ]
}

/** Downloads files with lines in parallel, again and again. */
async function exported({ url }: Program, keys: readonly string[], seconds: number): Promise<string> {
  const until = performance.now() + seconds * 1000
  const tally: Record<string, number> = {}
  const download = async (file: string, index: number) => {
    while (performance.now() < until) {
      const response = await fetch(`${url}/billing/v1/${file}`, {
        headers: { authorization: `Bearer ${keys[index % keys.length]}` },
      })
      tally[response.status] = (tally[response.status] ?? 0) + 1
      for await (const _chunk of response.body ?? []) if (performance.now() > until + 20_000) break
    }
  }
  await Promise.all(EXPORTS.map(download))
  return Object.entries(tally)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Parent folders of a memory control group, and the file with its limit, by version. */
const GROUPS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max' },
]

/** Limits the memory of a process by a control group, where this account may make one. */
function capMemory(pid: number, mb: number): { remove(): void } | undefined {
  for (const { root, limit } of GROUPS) {
    const folder = `${root}/licenses-invoices-${pid}`
    try {
      mkdirSync(folder)
      writeFileSync(`${folder}/${limit}`, String(mb * 1024 * 1024))
      writeFileSync(`${folder}/cgroup.procs`, String(pid))
      return { remove: () => rmdirSync(folder) }
    } catch {
      // Another version, or no permission.
    }
  }
  return undefined
}
