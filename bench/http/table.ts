import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg } from 'node:os'
import { budgetTable, type Measurement } from '../budgets.ts'
import { MIN_TO_QUERIES } from './bare.ts'
import { MIN_TO_PEER } from './cases.ts'
import { PDF_SECONDS, START_SECONDS, type Times, WARM_FIRST_BYTE_MS } from './files-and-starts.ts'
import { type Growth, INVOICES_SCREEN, INVOICES_SCREEN_MS, MAX_GROWTH, SMALL } from './growth.ts'
import type { Measured, Setting } from './rounds.ts'
import type { Range } from './throughput.ts'

const DOC_PATH = 'docs/evidence/speed.md'
const BEGIN = '<!-- npm run bench -- --write -->'

type BenchResults = {
  setting: Setting
  /** Measurements by number of processes. */
  measured: ReadonlyMap<string, Measured[]>
  growth: Growth[]
  files: Times
  /** Of the screen of invoices, in milliseconds. */
  firstByte: number
  /** In seconds. */
  starts: { cold: number; warm: number }
  pgbench: number | undefined
  write: boolean
}

// The load of other processes on the machine, before the bench runs.
const [load = 0] = loadavg()

/** Prints all figures, and writes them to the end of docs/evidence/speed.md with `--write`. */
export async function saveTable(results: BenchResults): Promise<void> {
  const text = textOf(results)
  console.log(text)
  if (!results.write) return
  const [beforeTable = ''] = readFileSync(DOC_PATH, 'utf8').split(BEGIN)
  writeFileSync(DOC_PATH, `${beforeTable}${BEGIN}\n\n${text}`)
}

function textOf(results: BenchResults): string {
  const { setting, measured, growth, files, starts, pgbench } = results
  const { connections, seconds, rounds } = setting
  const list = [...measured.values()][0]?.find(({ name }) => name === 'list')
  const busy = load >= 1.5 ? ' **The machine was busy: the ratios may hold, the rest does not.**' : ''
  const parts = [
    `Taken on ${new Date().toISOString().slice(0, 10)} at ${commit()}, Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? arch()}, load ${load.toFixed(1)} before.${busy} ${rounds} rounds of ${seconds} s, ${connections} connections.`,
    ...[...measured].map(([processes, rows]) => `Web processes: ${processes}.\n\n${tableOf(rows)}`),
    growthTable(growth),
    filesTable(files),
    `Start to first answer: ${starts.warm.toFixed(2)} s with a database that runs, ${starts.cold.toFixed(2)} s with a new one of its own.`,
    ...(pgbench && list
      ? [
          `\`pgbench\` sends the statements of the list ${(pgbench / list.pace.perSecond).toFixed(1)} times as often as we answer it.`,
        ]
      : []),
    `Budgets:\n\n${budgetTable(budgeted(results))}`,
  ]
  return `${parts.join('\n\n')}\n`
}

/** Returns the results that have a budget; the cases are those of the first number of processes. */
function budgeted({ measured, growth, files, firstByte, starts }: BenchResults): Measurement[] {
  const cases = [...measured.values()][0] ?? []
  const ratios = (min: Record<string, number>, what: string, ratioOf: (one: Measured) => Range | undefined) =>
    cases.flatMap((one): Measurement[] => {
      const [, least] = Object.entries(min).find(([end]) => one.name.endsWith(end)) ?? []
      const value = ratioOf(one)?.median
      if (least === undefined || value === undefined) return []
      return [{ name: `${one.name}, ${what}`, value, min: least, unit: '×' }]
    })
  const growths = growth.flatMap(({ name, sizes }) =>
    sizes
      .slice(1)
      .filter(({ size }) => size !== SMALL)
      .map(
        ({ size, toFirst }): Measurement => ({
          name: `${name}, ${size} invoices`,
          value: toFirst.median,
          max: MAX_GROWTH,
          unit: '×',
        }),
      ),
  )
  const screen = growth.find(({ name }) => name === INVOICES_SCREEN)?.sizes[0]?.pace.median ?? Number.NaN
  const pdf = files.find(({ name }) => name.startsWith('PDF'))?.seconds ?? Number.NaN
  return [
    ...ratios(MIN_TO_PEER, 'to Fastify', ({ toPeer }) => toPeer),
    ...ratios(MIN_TO_QUERIES, 'to its statements', ({ toQueries }) => toQueries),
    ...growths,
    { name: INVOICES_SCREEN, value: screen, max: INVOICES_SCREEN_MS, unit: 'ms' },
    { name: `${INVOICES_SCREEN}, first byte`, value: firstByte, max: WARM_FIRST_BYTE_MS, unit: 'ms' },
    { name: 'PDF', value: pdf, max: PDF_SECONDS, unit: 's' },
    { name: 'start', value: starts.warm, max: START_SECONDS, unit: 's' },
  ]
}

/** Returns the cases as a table. */
export function tableOf(rows: readonly Measured[]): string {
  const headerRow = [
    'call',
    'a second',
    'median',
    'p99',
    'to Fastify',
    'to its statements',
    'CPU s / 1,000',
    'RSS',
    'statements',
    'round trips',
  ]
  return table(
    headerRow,
    rows.map((row) => [
      row.name,
      Math.round(row.pace.perSecond).toLocaleString('en'),
      ms(row.pace.median),
      ms(row.pace.p99),
      formatRange(row.toPeer),
      formatRange(row.toQueries),
      row.processor.toFixed(2),
      `${Math.round(row.memory)} MB`,
      row.queryCount ? String(row.queryCount) : '',
      row.roundTrips ? String(row.roundTrips) : '',
    ]),
  )
}

/** Returns the growth with a customer's size as a table. */
export function growthTable(rows: readonly Growth[]): string {
  const sizes = rows[0]?.sizes.map(({ size }) => size) ?? []
  const cell = ({ pace, toFirst }: Growth['sizes'][number], index: number) => {
    // Requests that were pending at the end do not count.
    if (Number.isNaN(pace.median)) return 'none in its time'
    if (pace.failed > 0) return `${ms(pace.median)}, ${pace.failed} failed`
    return index === 0 ? ms(pace.median) : `${ms(pace.median)}, × ${formatRange(toFirst)}`
  }
  const body = rows.map(({ name, sizes: measuredSizes }) => [
    name,
    ...measuredSizes.map(cell),
    ...sizes.slice(measuredSizes.length).map(() => ''),
  ])
  return `Median by the invoices of a customer, and how many times that of the first:\n\n${table(['call', ...sizes], body)}`
}

function filesTable(files: Times): string {
  const body = files.map(({ name, seconds, bytes, memory }) => [
    name,
    `${seconds.toFixed(2)} s`,
    `${(bytes / 1024 / 1024).toFixed(1)} MB`,
    `${Math.round(memory)} MB`,
  ])
  return table(['file', 'time', 'size', 'RSS afterwards'], body)
}

function table(headerRow: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(headerRow),
    line(headerRow.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...body.map(line),
  ].join('\n')
}

function formatRange(range: Range | undefined): string {
  if (!range) return ''
  return `${range.median.toFixed(2)} (${range.min.toFixed(2)} to ${range.max.toFixed(2)})`
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', ':!docs') !== ''
  return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`
}
