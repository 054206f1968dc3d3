import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../http/program.ts'
import { type Pace, paceOf } from '../http/throughput.ts'

/** What another customer sees during the flood. */
export type Seen = {
  list: Pace
  health: Pace
  /** Times in seconds; responses other than 200 count as `failed`. */
  exports: Pace
  /** Maximum memory of the server, in MB. */
  memory: number
}

/** Pauses between a customer's calls, in milliseconds: within the rate limit of the customer's key. */
const PAUSES = { list: 100, health: 100, exports: 3000 }

/**
 * Sends another customer's requests while something else happens.
 * @param app.memory of the server, in MB
 * @param app.healthUrl where `/healthz` is asked
 */
export async function bystander(
  { url, memory, healthUrl = url }: Pick<Program, 'url' | 'memory'> & { healthUrl?: string },
  key: string,
  seconds: number,
): Promise<Seen> {
  const until = performance.now() + seconds * 1000
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, memory() ?? 0)
  }, 250)
  const [list, health, exports] = await Promise.all([
    again(`${url}/billing/v1/invoices`, key, PAUSES.list, until),
    again(`${healthUrl}/healthz`, '', PAUSES.health, until),
    again(`${url}/billing/v1/invoices.csv`, key, PAUSES.exports, until),
  ])
  clearInterval(watch)
  return { list, health, exports, memory: most }
}

async function again(url: string, key: string, pauseMs: number, until: number): Promise<Pace> {
  const times: number[] = []
  const headers: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` }
  const began = performance.now()
  let failed = 0
  while (performance.now() < until) {
    const start = performance.now()
    const status = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    if (status !== 200) failed += 1
    times.push(performance.now() - start)
    await sleep(pauseMs)
  }
  return paceOf(times, (performance.now() - began) / 1000, failed)
}
