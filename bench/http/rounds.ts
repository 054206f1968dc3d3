import type pg from 'pg'
import { bare } from './bare.ts'
import type { Case } from './cases.ts'
import { load } from './load.ts'
import { type Pace, type Spread, spreadOf } from './pace.ts'
import type { Program } from './program.ts'
import { roundTrips } from './statements.ts'

export type Measured = {
  name: string
  /** Of the round in the middle. */
  pace: Pace
  /** Our throughput to theirs: of each round, in which all ran in turn. */
  toPeer: Spread | undefined
  toStatements: Spread | undefined
  /** Of our process, for 1,000 requests, in seconds. */
  processor: number
  /** Of our process when the last round had ended, in MB. */
  memory: number
  statements: number
  roundTrips: number
}

export type Setting = { connections: number; seconds: number; rounds: number }

/** Runs a case in rounds: ours, the peer, the statements alone, each time beginning with another one. */
export async function inRounds(
  { name, asks, hasPeer, statements }: Case,
  { api, peer, pool }: { api: Program; peer: Program; pool: pg.Pool },
  { connections, seconds, rounds }: Setting,
): Promise<Measured> {
  const paces = { api: [] as Pace[], peer: [] as Pace[], bare: [] as Pace[] }
  let [used, requests] = [0, 0]
  const runs: { by: keyof typeof paces; run: () => Promise<Pace> }[] = [
    {
      by: 'api',
      run: async () => {
        const before = api.processor() ?? Number.NaN
        const pace = await load(api.url, asks, connections, seconds)
        used += (api.processor() ?? Number.NaN) - before
        requests += pace.requests
        return pace
      },
    },
  ]
  if (hasPeer) runs.push({ by: 'peer', run: () => load(peer.url, asks, connections, seconds) })
  if (statements) runs.push({ by: 'bare', run: () => bare(pool, statements, connections, seconds) })
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < runs.length; turn++) {
      const { by, run } = runs[(round + turn) % runs.length] as (typeof runs)[number]
      const pace = await run()
      if (pace.failed > 0) throw new Error(`${name}: ${pace.failed} requests failed (${by}).`)
      paces[by].push(pace)
    }
  const ratios = (others: Pace[]) =>
    others.length === 0
      ? undefined
      : spreadOf(others.map((other, round) => (paces.api[round]?.perSecond ?? Number.NaN) / other.perSecond))
  return {
    name,
    pace: middle(paces.api),
    toPeer: ratios(paces.peer),
    toStatements: ratios(paces.bare),
    processor: (used / requests) * 1000,
    memory: api.memory() ?? Number.NaN,
    statements: statements?.[0]?.length ?? 0,
    roundTrips: statements?.[0] ? roundTrips(statements[0]) : 0,
  }
}

/** The one of them whose throughput is in the middle. */
export function middle(paces: readonly Pace[]): Pace {
  const sorted = paces.toSorted((a, b) => a.perSecond - b.perSecond)
  return sorted[Math.floor(sorted.length / 2)] as Pace
}
