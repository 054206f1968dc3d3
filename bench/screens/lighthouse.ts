import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium as playwright } from '@playwright/test'
import { chromium } from '../../e2e/chromium.ts'
import { freePort } from '../../e2e/free-port.ts'
import { broken, budgetTable, LCP_MS, type Measurement, MIN_SCORE, TBT_MS } from '../budgets.ts'
import { openConsole, thingsOf } from './console.ts'

// Runs Lighthouse on six screens: npm run lighthouse [rounds]. npm downloads the large program into its cache, because
// only this measurement needs it. The measurement requires a quiet machine.

const LIGHTHOUSE = 'lighthouse@13.5.0'
const ROUNDS = Number(process.argv[2] ?? 3)
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const
const FORMS = ['desktop', 'mobile'] as const

type Form = (typeof FORMS)[number]
type Report = {
  categories: Record<(typeof CATEGORIES)[number], { score: number | null }>
  audits: Record<'largest-contentful-paint' | 'total-blocking-time', { numericValue?: number }>
}

const opened = await openConsole()
const port = await freePort()
const browserPath = await chromium()
const browser = await playwright.launch({
  ...browserPath,
  args: [...browserPath.args, `--remote-debugging-port=${port}`],
})
const folder = await mkdtemp(join(tmpdir(), 'console-lighthouse-'))
try {
  const { assets, invoices } = await thingsOf(opened)
  const measurements: Measurement[] = []
  for (const path of [
    '/sign-in',
    '/',
    '/assets',
    `/assets/${assets[0]}`,
    '/invoices',
    `/invoices/${invoices[0]}`,
  ])
    for (const form of FORMS) measurements.push(...(await measured(path, form)))
  console.log(budgetTable(measurements))
  if (broken(measurements).length > 0) process.exitCode = 1
} finally {
  await browser.close()
  await rm(folder, { recursive: true, force: true })
  await opened.stop()
}

/** Returns the round with the median performance; LCP and TBT are those of the mobile form. */
async function measured(path: string, form: Form): Promise<Measurement[]> {
  const reports: Report[] = []
  for (let round = 0; round < ROUNDS; round++) reports.push(await report(path, form))
  const middle = reports.toSorted(
    (one, other) => scoreOf(one, 'performance') - scoreOf(other, 'performance'),
  )[ROUNDS >> 1] as Report
  const name = `${path.replace(/^(\/\w+)\/.*/, '$1/…')}, ${form}`
  const scores = CATEGORIES.map(
    (category): Measurement => ({
      name: `${name}: ${category}`,
      value: scoreOf(middle, category),
      min: MIN_SCORE,
      unit: '',
    }),
  )
  const time = (audit: keyof Report['audits']) => middle.audits[audit].numericValue ?? Number.NaN
  if (form === 'desktop') return scores
  return [
    ...scores,
    { name: `${name}: LCP`, value: time('largest-contentful-paint'), max: LCP_MS, unit: 'ms' },
    { name: `${name}: TBT`, value: time('total-blocking-time'), max: TBT_MS, unit: 'ms' },
  ]
}

function scoreOf(report: Report, category: (typeof CATEGORIES)[number]): number {
  return Math.round((report.categories[category].score ?? Number.NaN) * 100)
}

/** Runs one round. A trace that Lighthouse could not read ("Please run Lighthouse again") is recorded again. */
async function report(path: string, form: Form): Promise<Report> {
  return once(path, form).catch(() => once(path, form))
}

async function once(path: string, form: Form): Promise<Report> {
  const { name, value } = opened.cookie
  const isOutside = path === '/sign-in'
  const args = [
    ...['exec', '--yes', `--package=${LIGHTHOUSE}`, '--', 'lighthouse', opened.url + path],
    ...[`--port=${port}`, '--quiet', '--output=json', `--only-categories=${CATEGORIES.join(',')}`],
    ...(form === 'desktop' ? ['--preset=desktop'] : []),
    ...(isOutside ? [] : [`--extra-headers=${JSON.stringify({ Cookie: `${name}=${value}` })}`]),
  ]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout) as Report
}
