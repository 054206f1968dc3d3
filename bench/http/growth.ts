import pg from 'pg'
import { pageToken } from '#lib/platform/lists/keyset.ts'
import { type Ask, load } from './load.ts'
import { type Pace, type Spread, spreadOf } from './pace.ts'
import type { Program } from './program.ts'
import { middle, type Setting } from './rounds.ts'
import { type Loaded, signedIn } from './seed.ts'

/** Few: what reads much would only wait for itself. */
const CONNECTIONS = 4
const SMALL = '20,000 small ones'

export type Growth = { name: string; of: { size: string; pace: Pace; toFirst: Spread }[] }

/** The same calls for customers of several sizes in turn: how much longer a large one's take, at the median. */
export async function growthOf(
  api: Program,
  url: string,
  customers: readonly Loaded[],
  small: readonly Loaded[],
  { seconds, rounds }: Setting,
  only: string,
): Promise<Growth[]> {
  const found: Growth[] = []
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
  if ('invoices screen'.includes(only)) found.push(await screens(api, customers, small, seconds, rounds))
  for (const [name, pathOf] of Object.entries(calls).filter(([name]) => name.includes(only))) {
    const groups = sized.map(({ one, far }) => ({
      size: one.invoices.toLocaleString('en'),
      asks: [{ path: `/billing/v1/${pathOf(far)}`, key: one.key }] as Ask[],
    }))
    if (!name.includes('page but'))
      groups.push({
        size: SMALL,
        asks: small.map(({ key }) => ({ path: `/billing/v1/${pathOf('')}`, key })),
      })
    found.push({ name, of: await sideBySide(api, groups, seconds, rounds) })
  }
  return found
}

/** The first page of a member who may see everything, drawn whole. */
async function screens(
  api: Program,
  customers: readonly Loaded[],
  small: readonly Loaded[],
  seconds: number,
  rounds: number,
): Promise<Growth> {
  const screenOf = async ({ id }: Loaded): Promise<Ask> => ({ path: '/invoices', cookie: await signedIn(id) })
  const groups = customers.map(async (one) => ({
    size: one.invoices.toLocaleString('en'),
    asks: [await screenOf(one)],
  }))
  const ofSmall = { size: SMALL, asks: await Promise.all(small.map(screenOf)) }
  const of = await sideBySide(api, [...(await Promise.all(groups)), ofSmall], seconds, rounds)
  return { name: 'invoices screen', of }
}

async function sideBySide(
  api: Program,
  groups: { size: string; asks: Ask[] }[],
  seconds: number,
  rounds: number,
): Promise<Growth['of']> {
  const paces = groups.map((): Pace[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, { asks }] of groups.entries())
      paces[index]?.push(await load(api.url, asks, CONNECTIONS, seconds))
  return groups.map(({ size }, index) => {
    const own = paces[index] ?? []
    const ratios = own.map(({ median }, round) => median / (paces[0]?.[round]?.median ?? Number.NaN))
    const failed = own.reduce((sum, pace) => sum + pace.failed, 0)
    return { size, pace: { ...middle(own), failed }, toFirst: spreadOf(ratios) }
  })
}

/** The token of a page near the end, made and not walked to. */
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
