import { setTimeout as sleep } from 'node:timers/promises'
import { load, type RequestTemplate } from './load.ts'
import type { Program } from './program.ts'
import type { Loaded } from './seed.ts'

/** Resident memory of a web process under ten minutes of all load, with three parallel exports of 100,000 lines, at most. */
export const MEMORY_MB = 350

/** Concurrent requests by kind: API calls, pages, changes, exports. */
const HANDS = { api: 8, pages: 4, changes: 2, files: 3 }
/** Largest number of exports that a customer has at a time: the third one is another customer's. */
const EXPORTS_PER_CUSTOMER = 2

const DAY_SECONDS = 24 * 60 * 60
/** Date of the large customer's first invoice. */
const START_TIME = Date.UTC(2020, 0, 1) / 1000

/** Memory of a process during a mix of all requests. */
export type Soak = {
  minutes: number
  /**
   * Resident memory in MB: before the first request, at the end of each tenth of the time, and the maximum of all
   * seconds.
   */
  start: number
  course: number[]
  most: number
  /** Responses by kind of request. */
  answers: Record<keyof typeof HANDS, number>
  /** Processor seconds of our process for 1,000 of these. */
  processor: number
}

/**
 * Sends lists, reads, sums, pages, license changes and exports in parallel, for so many minutes.
 * @param customers.large two customers with 100,000 invoices, which export; the first one also reads
 * @param customers.cookie of a signed-in member of the first one
 * @param report is called after each tenth, with the elapsed minutes and the process's memory in MB
 * @throws Error if a request fails: a process that refuses needs little memory
 */
export async function soak(
  api: Program,
  { large, small, cookie }: { large: readonly [Loaded, Loaded]; small: readonly Loaded[]; cookie: string },
  minutes: number,
  report: (minutes: number, memory: number) => void,
): Promise<Soak> {
  const seconds = minutes * 60
  const [start, end] = [memoryOf(api), performance.now() + seconds * 1000]
  const loads = Promise.all([
    loaded(api, fromApi([large[0], ...small]), HANDS.api, seconds),
    loaded(
      api,
      ['assets', 'invoices', 'invoices/IN-00000500', 'invoices/statement', 'activity'].map((page) => ({
        path: `/${page}`,
        cookie,
      })),
      HANDS.pages,
      seconds,
    ),
    loaded(api, changes(small.slice(0, HANDS.changes)), HANDS.changes, seconds),
    exported(api.url, large, end),
  ])
  const course: number[] = []
  let most = start
  const watch = async () => {
    while (performance.now() < end) {
      await sleep(1000)
      const memory = memoryOf(api)
      most = Math.max(most, memory)
      const passed = 1 - (end - performance.now()) / 1000 / seconds
      if (passed * 10 < course.length + 1) continue
      course.push(memory)
      report(passed * minutes, memory)
    }
  }
  const used = api.processor() ?? Number.NaN
  const [[byApi, pages, changed, files]] = await Promise.all([loads, watch()])
  const processor = (((api.processor() ?? Number.NaN) - used) / (byApi + pages + changed + files)) * 1000
  return { minutes, start, course, most, answers: { api: byApi, pages, changes: changed, files }, processor }
}

function fromApi(customers: readonly Loaded[]): RequestTemplate[] {
  const paths = [
    'invoices',
    'invoices?maxResults=250',
    'assets',
    'invoice-summary',
    'invoices?search=IN-000005',
  ]
  return customers.slice(0, HANDS.api).flatMap(({ key }, index) => {
    const path = paths[index % paths.length] as string
    return [{ path: `/billing/v1/${path}`, key }]
  })
}

function changes(customers: readonly Loaded[]): RequestTemplate[] {
  let quantity = 1
  const next = () => 1 + (quantity++ % 900_000)
  return customers.map(({ key }) => ({ path: '/billing/v1/assets/workspace-suite-0', key, quantity: next }))
}

async function loaded(
  api: Program,
  templates: RequestTemplate[],
  hands: number,
  seconds: number,
): Promise<number> {
  const { requests, failed } = await load(api.url, templates, hands, seconds - 1)
  if (failed > 0) throw new Error(`${failed} of ${requests} requests failed, such as ${templates[0]?.path}`)
  return requests
}

/** Downloads the files in turn; each worker begins with another file, and reads each one completely. */
async function exported(url: string, customers: readonly Loaded[], end: number): Promise<number> {
  let downloads = 0
  const download = async (_: unknown, hand: number) => {
    const key = customers[Math.floor(hand / EXPORTS_PER_CUSTOMER)]?.key
    for (let iteration = hand; performance.now() < end; iteration++) {
      const file = fileOf(iteration)
      const response = await fetch(`${url}/billing/v1/${file}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      if (response.status !== 200)
        throw new Error(`${file} answered ${response.status}: ${await response.text()}`)
      for await (const _chunk of response.body ?? []);
      downloads += 1
    }
  }
  await Promise.all(Array.from({ length: HANDS.files }, download))
  return downloads
}

/** Every fourth file is an archive of another four days' invoices, each of which is rendered for it. */
function fileOf(iteration: number): string {
  if (iteration % 4 === 3) {
    const from = START_TIME + (iteration % 2000) * DAY_SECONDS
    return `invoices.zip?minCreationTime=${from}&maxCreationTime=${from + 3 * DAY_SECONDS}`
  }
  return ['invoices.csv?lines=true', 'invoices.csv', 'assets.csv'][iteration % 4] as string
}

function memoryOf(api: Program): number {
  return api.memory() ?? Number.NaN
}
