import type { Program } from '../http/program.ts'
import { CALLS, type Call } from './anonymous-calls.ts'

// Measures the processor time of each call that needs no caller: the source of the weights in
// lib/server/admission/weights.ts.

/** Calls of each kind: the first ones warm up and are not counted. */
const [WARM_UP, COUNTED] = [20, 100]

/** Prints the processor time of each call, in milliseconds and as a multiple of the cheapest. */
export async function printWeights(app: Program): Promise<void> {
  const times: [string, string, number][] = []
  for (const [name, call] of Object.entries(CALLS)) {
    const statuses = new Set<number>()
    for (let n = 0; n < WARM_UP; n++) statuses.add(await send(app.url, call))
    const before = app.processor() ?? 0
    for (let n = 0; n < COUNTED; n++) statuses.add(await send(app.url, call))
    times.push([name, [...statuses].join(', '), (1000 * ((app.processor() ?? 0) - before)) / COUNTED])
  }
  const base = Math.max(0.1, Math.min(...times.map(([, , ms]) => ms)))
  console.log('| call | answer | processor | weight |\n| --- | --- | ---: | ---: |')
  for (const [name, statuses, ms] of times)
    console.log(`| ${name} | ${statuses} | ${ms.toFixed(1)} ms | ${(ms / base).toFixed(1)} |`)
}

async function send(url: string, { path, method, headers = {}, body }: Call): Promise<number> {
  const response = await fetch(url + path, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers,
    redirect: 'manual',
    ...(body ? { body: body() } : {}),
  })
  await response.arrayBuffer()
  return response.status
}
