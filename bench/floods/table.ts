import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { NO_LIMITS } from '../../test/fakes/no-limits.ts'
import type { Seen } from './bystander.ts'

export const HEADER = `| attack | connections | list p50 | list p99 | /healthz p99 | exports | export p99 | memory | answered to the attackers |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |`

/** Returns settings that leave the limits at their defaults. */
export function usualLimits(): Record<string, string> {
  return Object.fromEntries(Object.keys(NO_LIMITS).map((name) => [name, '']))
}

export type AttackOptions = {
  kind: string
  url: string
  /** Keys of the attackers, which take turns. */
  keys: readonly string[]
  connections: number
  /** Requests per second of all connections together. */
  rate: number
  seconds: number
}

/** Runs the attackers, and returns the counts of their responses. */
export async function attack(options: AttackOptions): Promise<string> {
  const { kind, url, keys, connections, rate, seconds } = options
  const program = [
    '--conditions=react-server',
    '--disable-warning=ExperimentalWarning',
    'bench/floods/attackers.ts',
  ]
  const numbers = [connections, rate, seconds].map(String)
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...program,
    kind,
    url,
    keys.join(),
    ...numbers,
  ])
  const tally = Object.entries(JSON.parse(stdout) as Record<string, number>)
  return tally.map(([what, count]) => `${what}: ${count.toLocaleString('en')}`).join(', ')
}

/** Returns a row of the table. */
export function rowOf(kind: string, connections: number, seen: Seen, answered: string): string {
  const { list, health, exports, memory } = seen
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
  const failed = list.failed + health.failed
  const cells = [
    kind,
    connections,
    ms(list.median),
    ms(list.p99) + (failed > 0 ? `, ${failed} failed` : ''),
    ms(health.p99),
    `${exports.requests - exports.failed} of ${exports.requests}`,
    ms(exports.p99),
    `${memory.toFixed(0)} MB`,
    answered,
  ]
  return `| ${cells.join(' | ')} |`
}
