import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { platformTable } from '#lib/imports/focus/platforms.ts'
import { importFocus, importInvoiceFiles, type Run } from '#lib/imports/run.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { broken, budgetTable, type Measurement } from './budgets.ts'
import { costOf } from './watch.ts'

/** Pace of an import in lines a second, in bounded memory, at least. */
const MIN_IMPORT_LINES = 20_000

// Checks whether many small invoices are stored at one pace: a first file into an empty database, the same file again,
// and a file of ten times as many.
// npm run imports -- [invoices of the small file] [URL of an empty database, of your server]

const [small = '100000', url] = process.argv.slice(2)
const terms = { platforms: platformTable(), dueDays: 30, paid: false }

/** Each invoice is one line. */
const measurements: Measurement[] = []

const folder = await mkdtemp(join(tmpdir(), 'console-imports-'))
const embedded = url === undefined ? await startEmbedded(folder) : undefined
const server = embedded?.url ?? (url as string)
await migrate(server)
try {
  await measureImport('FOCUS', 'csv', focusRows, (run) => importFocus(run, terms))
  await measureImport('JSON', 'ndjson', jsonRows, importInvoiceFiles)
  console.log(budgetTable(measurements))
  if (broken(measurements).length > 0) process.exitCode = 1
} finally {
  await embedded?.release()
  await rm(folder, { recursive: true, force: true })
}

type Import = (run: Run) => Promise<unknown>

async function measureImport(
  name: string,
  ending: string,
  rows: (count: number) => Iterable<string>,
  load: Import,
) {
  const paces: number[] = []
  const measure = async (what: string, count: number, file: string, customer: string) => {
    const { seconds, rssPeak, failure } = await costOf(server, async () => {
      const database = openDatabase(server)
      try {
        await load({ customerId: newCustomerId(customer), paths: [file] })
      } finally {
        await database.close()
      }
    })
    paces.push(count / seconds)
    const pace = { name: `${name}, ${what}: ${count}`, value: count / seconds } as const
    measurements.push({ ...pace, min: MIN_IMPORT_LINES, unit: 'lines/s' })
    const summary = `${seconds.toFixed(1)} s, ${Math.round(count / seconds)} invoices/s, ${rssPeak.toFixed(0)} MB`
    console.log(`${name}, ${what}: ${count} invoices, ${summary}${failure ? `, ${failure}` : ''}`)
  }
  for (const count of [Number(small), Number(small) * 10]) {
    const file = join(folder, `${count}.${ending}`)
    await pipeline(Readable.from(chunks(rows(count))), createWriteStream(file))
    const customer = await newCustomer()
    await measure('new', count, file, customer)
    await measure('again', count, file, customer)
  }
  const [first = 0, , large = 0] = paces
  console.log(`→ ${name}, pace of the small file to that of the large one: ${(first / large).toFixed(2)}\n`)
}

async function newCustomer(): Promise<string> {
  const database = openDatabase(server)
  try {
    return await addNewCustomer()
  } finally {
    await database.close()
  }
}

function* focusRows(count: number): Generator<string> {
  yield 'InvoiceIssuerName,InvoiceId,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost'
  for (let n = 0; n < count; n++)
    yield `Resale,IN-${n},A-${n % 1000},2026-09-01,2026-10-01,USD,AWS,Compute ${n % 7},Usage,${(n % 9999) / 100}`
}

function* jsonRows(count: number): Generator<string> {
  const dates = { invoiceDate: '2026-09-30', dueDate: '2026-10-30' }
  const lines = [{ description: 'Compute', price: 1, qty: 2 }]
  for (let n = 0; n < count; n++)
    yield JSON.stringify({
      id: `IN-${n}`,
      platform: 'web-services',
      issuer: 'Resale',
      ...dates,
      currency: 'USD',
      totalAmount: 2,
      lines,
    })
}

/** Yields some thousand rows at a time. */
function* chunks(rows: Iterable<string>): Generator<string> {
  let text = ''
  for (const row of rows) {
    text += `${row}\n`
    if (text.length < 500_000) continue
    yield text
    text = ''
  }
  yield text
}
