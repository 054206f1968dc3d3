import type pg from 'pg'
import { bare } from './bare.ts'
import type { Case } from './cases.ts'
import { load } from './load.ts'
import type { Program } from './program.ts'
import { roundTrips } from './recorded-queries.ts'
import { type Pace, type Range, rangeOf } from './throughput.ts'

export type Measured = {
  name: string
  /** Pace of the median round. */
  pace: Pace
  /** Ratio of our throughput to the peer's in each round, in which all ran in turn. */
  toPeer: Range | undefined
  toQueries: Range | undefined
  /** Processor seconds of our process for 1,000 requests. */
  processor: number
  /** Memory of our process after the last round, in MB. */
  memory: number
  queryCount: number
  roundTrips: number
}

export type Setting = { connections: number; seconds: number; rounds: number }

/** Runs a case in rounds: our API, the peer and the bare queries, starting with a different one each time. */
export async function inRounds(
  { name, templates, hasPeer, queries, warmUpSeconds }: Case,
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
        const pace = await load(api.url, templates, connections, seconds)
        used += (api.processor() ?? Number.NaN) - before
        requests += pace.requests
        return pace
      },
    },
  ]
  if (hasPeer) runs.push({ by: 'peer', run: () => load(peer.url, templates, connections, seconds) })
  if (queries) runs.push({ by: 'bare', run: () => bare(pool, queries, connections, seconds) })
  const warmed = hasPeer ? [api, peer] : [api]
  if (warmUpSeconds) for (const { url } of warmed) await load(url, templates, connections, warmUpSeconds)
  for (let round = 0; round < rounds; round++)
    for (let index = 0; index < runs.length; index++) {
      const { by, run } = runs[(round + index) % runs.length] as (typeof runs)[number]
      const pace = await run()
      if (pace.failed > 0) throw new Error(`${name}: ${pace.failed} requests failed (${by}).`)
      paces[by].push(pace)
    }
  const ratios = (others: Pace[]) =>
    others.length === 0
      ? undefined
      : rangeOf(others.map((other, round) => (paces.api[round]?.perSecond ?? Number.NaN) / other.perSecond))
  return {
    name,
    pace: middle(paces.api),
    toPeer: ratios(paces.peer),
    toQueries: ratios(paces.bare),
    processor: (used / requests) * 1000,
    memory: api.memory() ?? Number.NaN,
    queryCount: queries?.[0]?.length ?? 0,
    roundTrips: queries?.[0] ? roundTrips(queries[0]) : 0,
  }
}

/** Returns the round with the median throughput. */
export function middle(paces: readonly Pace[]): Pace {
  const sorted = paces.toSorted((a, b) => a.perSecond - b.perSecond)
  return sorted[Math.floor(sorted.length / 2)] as Pace
}
