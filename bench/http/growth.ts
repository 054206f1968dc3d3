import pg from 'pg'
import { pageToken } from '#lib/platform/lists/paging.ts'
import { load, type RequestTemplate } from './load.ts'
import type { Program } from './program.ts'
import { middle, type Setting } from './rounds.ts'
import { type Loaded, signedIn } from './seed.ts'
import { type Pace, type Range, rangeOf } from './throughput.ts'

/** Few connections: large reads would only wait for each other. */
const CONNECTIONS = 4
export const SMALL = '20,000 small ones'
export const INVOICES_SCREEN = 'invoices screen'
/** Time of a list, search, summary, statement or screen over many invoices, in multiples of that over 10,000, at most. */
export const MAX_GROWTH = 1.2
/** All of the screen of invoices in milliseconds, at the median, at most. */
export const INVOICES_SCREEN_MS = 35

export type Growth = { name: string; sizes: { size: string; pace: Pace; toFirst: Range }[] }

/** Large customers of several sizes, and many small ones. */
type Customers = { customers: readonly Loaded[]; small: readonly Loaded[] }

/**
 * Measures the same calls for customers of several sizes in turn, and how much longer a large customer's calls take at
 * the median.
 */
export async function growthOf(
  api: Program,
  url: string,
  { customers, small }: Customers,
  { only, ...setting }: Setting & { only: string },
): Promise<Growth[]> {
  const growths: Growth[] = []
  const sized = await Promise.all(customers.map(async (one) => ({ one, far: await farToken(url, one) })))
  const calls: Record<string, (far: string) => string> = {
    'list, first page': () => 'invoices',
    'list, last page but one': (far) => `invoices?pageToken=${far}`,
    'list, highest balance first': () => 'invoices?orderBy=balanceAmount%20desc',
    search: () => 'invoices?search=0000123',
    'search that finds all numbers': () => 'invoices?search=IN-',
    'search that finds nothing': () => 'invoices?search=nothing',
    'search, summary': () => 'invoice-summary?search=0000123',
    summary: () => 'invoice-summary',
    statement: () => 'statement',
  }
  if (INVOICES_SCREEN.includes(only)) growths.push(await screens(api, { customers, small }, setting))
  for (const [name, pathOf] of Object.entries(calls).filter(([name]) => name.includes(only))) {
    const groups = sized.map(({ one, far }) => ({
      size: one.invoices.toLocaleString('en'),
      templates: [{ path: `/billing/v1/${pathOf(far)}`, key: one.key }] as RequestTemplate[],
    }))
    if (!name.includes('page but'))
      groups.push({
        size: SMALL,
        templates: small.map(({ key }) => ({ path: `/billing/v1/${pathOf('')}`, key })),
      })
    growths.push({ name, sizes: await sideBySide(api, groups, setting) })
  }
  return growths
}

/** Measures the complete first page of the invoices for a member who may see everything. */
async function screens(api: Program, { customers, small }: Customers, setting: Setting): Promise<Growth> {
  const screenOf = async ({ id }: Loaded): Promise<RequestTemplate> => ({
    path: '/invoices',
    cookie: await signedIn(id),
  })
  const groups = customers.map(async (one) => ({
    size: one.invoices.toLocaleString('en'),
    templates: [await screenOf(one)],
  }))
  const ofSmall = { size: SMALL, templates: [] as RequestTemplate[] }
  // One after the other: a thousand at the same time would wait too long for their connections on a slow machine.
  for (const one of small) ofSmall.templates.push(await screenOf(one))
  const sizes = await sideBySide(api, [...(await Promise.all(groups)), ofSmall], setting)
  return { name: INVOICES_SCREEN, sizes }
}

async function sideBySide(
  api: Program,
  groups: { size: string; templates: RequestTemplate[] }[],
  { seconds, rounds }: Setting,
): Promise<Growth['sizes']> {
  const paces = groups.map((): Pace[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, { templates }] of groups.entries())
      paces[index]?.push(await load(api.url, templates, CONNECTIONS, seconds))
  return groups.map(({ size }, index) => {
    const sizePaces = paces[index] ?? []
    const ratios = sizePaces.map(({ median }, round) => median / (paces[0]?.[round]?.median ?? Number.NaN))
    const failed = sizePaces.reduce((sum, pace) => sum + pace.failed, 0)
    return { size, pace: { ...middle(sizePaces), failed }, toFirst: rangeOf(ratios) }
  })
}

/** Returns the token of a page near the end, without walking there. */
async function farToken(url: string, { id, invoices }: Loaded): Promise<string> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  const { rows } = await owner.query(
    `SELECT invoice_date::text AS day, id FROM invoices WHERE customer_id = $1
     ORDER BY invoice_date DESC, id DESC OFFSET $2 LIMIT 1`,
    [id, Math.max(0, invoices - 100)],
  )
  await owner.end()
  return pageToken({ key: [rows[0].day, rows[0].id], direction: 'older' }, [id, 'invoices', {}])
}
