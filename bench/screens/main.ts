import { parseArgs } from 'node:util'
import type { BrowserContext, Page } from '@playwright/test'
import { broken, budgetTable, type Measurement, PRESS_MS, SKELETON_MS, TITLE_MS } from '../budgets.ts'
import { type Click, clickOf } from './clicks.ts'
import { inBrowser, openConsole, thingsOf } from './console.ts'
import { pressesOf } from './keys.ts'
import { weights } from './weights.ts'

// Measures the weight of each screen, and its response times in a browser, with the demo's largest customer; the exit
// code is 1 if a budget is broken. Weights are the same on every machine. Times require a quiet one: docs/evidence/speed.md.

const { values: options } = parseArgs({
  options: {
    /** Measures only weights, which other work on the machine does not disturb. */
    weights: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
  },
})
const ROUNDS = Number(options.rounds)

const CLICKS = [
  ['/assets', '/invoices'],
  ['/invoices', '/assets'],
  ['/', '/activity'],
] as const

const opened = await openConsole()
try {
  const things = await thingsOf(opened)
  const measurements = await inBrowser(opened, async (context) => [
    ...(await weights(context, things)),
    ...(options.weights ? [] : [...(await clicks(context)), ...(await presses(context))]),
  ])
  console.log(budgetTable(measurements))
  const over = broken(measurements)
  if (over.length > 0) {
    console.error(`${over.length} over budget: ${over.map(({ name }) => name).join(', ')}.`)
    process.exitCode = 1
  }
} finally {
  await opened.stop()
}

async function clicks(context: BrowserContext): Promise<Measurement[]> {
  const measurements: Measurement[] = []
  for (const [from, to] of CLICKS) {
    const rounds: Click[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await clickOf(context, from, to))
    const measurement = (what: keyof Click, max: number): Measurement => ({
      name: `${from} to ${to}: ${what}`,
      value: middle(rounds.map((round) => round[what] ?? Number.NaN)),
      max,
      unit: 'ms',
    })
    measurements.push(
      measurement('title', TITLE_MS),
      measurement('navigation', TITLE_MS),
      measurement('skeleton', SKELETON_MS),
    )
  }
  return measurements
}

async function presses(context: BrowserContext): Promise<Measurement[]> {
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
  const measurements: Measurement[] = []
  for (const [name, path, field, keys] of cases) {
    const value = await pressesOf(context, path, field, keys)
    measurements.push({ name: `key press to paint: ${name}`, value, max: PRESS_MS, unit: 'ms' })
  }
  return measurements
}

/** NaN if one of the values is NaN. */
function middle(values: readonly number[]): number {
  if (values.some(Number.isNaN)) return Number.NaN
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}
