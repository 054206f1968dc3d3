import { parseArgs } from 'node:util'
import type { BrowserContext, Page } from '@playwright/test'
import {
  broken,
  type Figure,
  HTML_KB,
  OWN_KB,
  PRESS_MS,
  ROWS,
  SKELETON_MS,
  TITLE_MS,
  tableOf,
  UNASKED,
} from './budgets.ts'
import { type Click, clickOf } from './clicks.ts'
import { inBrowser, openConsole, thingsOf } from './console.ts'
import { pressesOf } from './keys.ts'
import { loadOf } from './load.ts'

// What a screen weighs and how soon it answers, in a browser, with the demo's largest customer; it ends with 1 where a
// budget is broken. Weights are the same on every machine. Times want a quiet one: docs/speed.md.

const { values: given } = parseArgs({
  options: {
    /** Only weights, which no other work on the machine disturbs. */
    weights: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
  },
})
const ROUNDS = Number(given.rounds)

const CLICKS = [
  ['/assets', '/invoices'],
  ['/invoices', '/assets'],
  ['/', '/activity'],
] as const

const opened = await openConsole()
try {
  const things = await thingsOf(opened)
  const figures = await inBrowser(opened, async (context) => [
    ...(await weights(context, things)),
    ...(given.weights ? [] : [...(await clicks(context)), ...(await presses(context))]),
  ])
  console.log(tableOf(figures))
  const over = broken(figures)
  if (over.length > 0) {
    console.error(`${over.length} over budget: ${over.map(({ name }) => name).join(', ')}.`)
    process.exitCode = 1
  }
} finally {
  await opened.stop()
}

async function weights(context: BrowserContext, { assets, invoices }: Awaited<ReturnType<typeof thingsOf>>) {
  const ids = [...assets, ...invoices]
  const screens = [
    ['/', '/'],
    ['/assets', '/assets'],
    ['/assets, 250 rows', '/assets?maxResults=250'],
    ['an asset', `/assets/${assets[0]}`],
    ['/assets/bulk', '/assets/bulk'],
    ['/invoices', '/invoices'],
    ['/invoices, 250 rows', '/invoices?maxResults=250'],
    ['an invoice', `/invoices/${invoices[0]}`],
    ...[
      '/invoices/statement',
      '/invoices/explain',
      '/invoices/compare',
      '/invoices/profiles',
      '/activity',
      '/activity/events',
      '/members',
      '/sign-on',
      '/sign-on/directory',
      '/keys',
      '/sessions',
      '/second-factor',
    ].map((path) => [path, path]),
  ] as [name: string, path: string][]
  const found: Figure[] = []
  for (const [name, path] of screens) {
    // Of what a page is about, its own parts may each say which it is.
    const { own, html, unasked, rows } = await loadOf(
      context,
      path,
      name === path || name.endsWith('rows') ? ids : [],
    )
    if (unasked.length > 0) console.error(`${name} asks by itself for ${unasked.join(', ')}.`)
    found.push(
      { name: `${name}: own JavaScript`, value: own / 1000, most: OWN_KB, unit: 'kB' },
      { name: `${name}: asked for by itself`, value: unasked.length, most: UNASKED, unit: '' },
      { name: `${name}: a row beside its HTML`, value: rows, most: ROWS, unit: '' },
      { name: `${name}: HTML`, value: html / 1000, most: HTML_KB, unit: 'kB' },
    )
  }
  return found
}

async function clicks(context: BrowserContext): Promise<Figure[]> {
  const found: Figure[] = []
  for (const [from, to] of CLICKS) {
    const rounds: Click[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await clickOf(context, from, to))
    const figure = (what: keyof Click, most: number): Figure => ({
      name: `${from} to ${to}: ${what}`,
      value: middle(rounds.map((round) => round[what] ?? Number.NaN)),
      most,
      unit: 'ms',
    })
    found.push(figure('title', TITLE_MS), figure('navigation', TITLE_MS), figure('skeleton', SKELETON_MS))
  }
  return found
}

async function presses(context: BrowserContext): Promise<Figure[]> {
  const [assets, invoices] = ['/assets?maxResults=250', '/invoices?maxResults=250']
  const search = (page: Page) => page.getByRole('searchbox')
  const cases = [
    [
      'a quantity',
      assets,
      (page: Page) => page.getByRole('spinbutton', { disabled: false }).nth(3),
      ['ArrowUp'],
    ],
    ['a letter, assets', assets, search, ['a', 'b']],
    ['a letter, invoices', invoices, search, ['1', '2']],
    [
      'selecting an invoice',
      invoices,
      (page: Page) => page.locator('tbody').getByRole('checkbox').nth(2),
      ['Space'],
    ],
  ] as const
  const found: Figure[] = []
  for (const [name, path, field, keys] of cases) {
    const value = await pressesOf(context, path, field, keys)
    found.push({ name: `key press to paint: ${name}`, value, most: PRESS_MS, unit: 'ms' })
  }
  return found
}

/** NaN where one of them is. */
function middle(values: readonly number[]): number {
  if (values.some(Number.isNaN)) return Number.NaN
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}
