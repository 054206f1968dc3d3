import pg from 'pg'
import type { ProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { addInvoice } from '#lib/platform/db/test-rows.ts'
import { type Program, startApp } from './program.ts'
import type { Loaded } from './seed.ts'

/** PDF of an invoice with 1,000 lines, at most. */
export const PDF_SECONDS = 1
/** From the start of a process to its first answer, with a database that runs and has all migrations, at most. */
export const START_SECONDS = 1.5
/** First byte of the screen of invoices in milliseconds when it is warm, at most. */
export const WARM_FIRST_BYTE_MS = 20

const LINES = 1000
const TIMES = 3
const WARM_UPS = 20

/** Median of three runs in seconds, and the `memory` of the process afterwards in MB. */
export type Times = { name: string; seconds: number; bytes: number; memory: number }[]

/** Measures the PDF of an invoice with 1,000 lines, and all of a customer's invoices as CSV. */
export async function timesOfFiles(api: Program, url: string, customer: Loaded): Promise<Times> {
  const lines = Array.from({ length: LINES }, (_, n) => ({ description: `Item ${n}`, price: '0.01' }))
  await addInvoice(customer.id, 'LONG', { totalAmount: '10.00' }, lines)
  const csv = `${customer.invoices.toLocaleString('en')} rows`
  const paths = {
    [`PDF, ${LINES.toLocaleString('en')} lines`]: 'invoices/LONG/file',
    [`CSV, ${csv}`]: 'invoices.csv',
    [`CSV with lines, ${csv}`]: 'invoices.csv?lines=true',
  }
  const times: Times = []
  for (const [name, path] of Object.entries(paths)) {
    const runs: { seconds: number; bytes: number }[] = []
    for (let time = 0; time < TIMES; time++)
      runs.push(await fetched(`${api.url}/billing/v1/${path}`, customer.key))
    const { seconds, bytes } = runs.toSorted((a, b) => a.seconds - b.seconds)[1] as (typeof runs)[number]
    times.push({ name, seconds, bytes, memory: api.memory() ?? Number.NaN })
  }
  await withOwner(url, `DELETE FROM invoices WHERE customer_id = '${customer.id}' AND id = 'LONG'`)
  return times
}

async function fetched(url: string, key: string): Promise<{ seconds: number; bytes: number }> {
  const began = performance.now()
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.length
  return { seconds: (performance.now() - began) / 1000, bytes }
}

/** Returns the milliseconds until the first byte of the screen of invoices, when it is warm: the median of nine. */
export async function firstByteOfInvoices(api: Program, cookie: string): Promise<number> {
  const times: number[] = []
  for (let time = 0; time < WARM_UPS + 9; time++) {
    const began = performance.now()
    const { status, body } = await fetch(`${api.url}/invoices`, { headers: { cookie } })
    times.push(performance.now() - began)
    if (status !== 200) throw new Error(`The screen of invoices answered ${status}.`)
    for await (const _ of body ?? []);
  }
  return times.slice(WARM_UPS).sort((a, b) => a - b)[4] ?? Number.NaN
}

/** Returns the seconds from the start of the process to its first response, with a new database. */
export async function coldStart(reaper: ProcessReaper, dataDir: string): Promise<number> {
  return firstAnswer(await startApp(reaper, '', '1', { DATA_DIR: dataDir }))
}

/**
 * Returns the seconds from the start to the first response with a running database that has all migrations: the median
 * of three.
 */
export async function warmStart(reaper: ProcessReaper, url: string): Promise<number> {
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) times.push(await firstAnswer(await startApp(reaper, url, '1')))
  return times.sort((a, b) => a - b)[1] ?? Number.NaN
}

async function firstAnswer(api: Program): Promise<number> {
  const began = performance.now()
  const { status } = await fetch(`${api.url}/healthz`)
  if (status !== 200) throw new Error(`The first answer was ${status}.`)
  const seconds = api.startSeconds + (performance.now() - began) / 1000
  await api.stop()
  return seconds
}

async function withOwner(url: string, query: string): Promise<void> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(query)
  await owner.end()
}
