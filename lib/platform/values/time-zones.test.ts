import { afterEach, describe, expect, test, vi } from 'vitest'
import * as files from '#lib/billing/invoice-files/operations.ts'
import * as invoices from '#lib/billing/invoices/operations.ts'
import * as statements from '#lib/billing/statements/operations.ts'
import * as comparisons from '#lib/costs/comparisons/operations.ts'
import * as explanations from '#lib/costs/explanations/operations.ts'
import { listAssets } from '#lib/licenses/assets/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addInvoice, addKey } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { readPages } from '#lib/platform/pdf/test-read.ts'
import { DAY_MS, dayOf, epochOfDay } from './days.ts'

// A day is the same everywhere. In the first zone the day begins 14 hours before it does in UTC, in the last one it
// ends 11 hours after: at any time of day a local date would be wrong in one of the two.
const ENDS = [
  ['Pacific/Kiritimati', -840],
  ['Pacific/Pago_Pago', 660],
] as const

const TODAY = '2026-11-20'
const today = epochOfDay(TODAY)
/** Next year. */
const YEAR = new Date(today).getUTCFullYear() + 1
const LAST = Date.UTC(YEAR, 11, 31) / 1000
const day = (offset: number) => dayOf(today + offset * DAY_MS)

const REQUESTS: [name: string, operation: Parameters<typeof route>[0], end: string][] = [
  ['the list', invoices.listInvoices, 'invoices'],
  ['what is past due', invoices.listInvoices, 'invoices?filter=status:PAST%20DUE'],
  ['what is due today', invoices.listInvoices, `invoices?filter=dueDate:${today}`],
  [
    'what is of a day',
    invoices.listInvoices,
    `invoices?minCreationTime=${LAST}&maxCreationTime=${LAST + 86_399}`,
  ],
  ['pages by due date', invoices.listInvoices, 'invoices?orderBy=dueDate&maxResults=2'],
  ['the sums', invoices.summarizeInvoices, 'invoice-summary'],
  ['an invoice', invoices.readInvoice, 'invoices/IN-1'],
  ['its PDF', files.readInvoiceFile, 'invoices/IN-1/file'],
  ['the ZIP', files.exportInvoiceFiles, 'invoices.zip?search=IN'],
  ['the CSV', invoices.exportInvoices, 'invoices.csv'],
  ['the CSV of lines', invoices.exportInvoices, 'invoices.csv?lines=true'],
  ['a comparison', comparisons.compareInvoices, 'invoice-comparison?from=IN-1&to=LATE'],
  ['its CSV', comparisons.exportComparison, 'invoice-comparison.csv?from=IN-1&to=LATE'],
  ['a month explained', explanations.explainMonth, `invoice-explanation?month=${YEAR + 1}-01`],
  ['its CSV', explanations.exportExplanation, `invoice-explanation.csv?month=${YEAR + 1}-01`],
  ['the statement', statements.readStatement, 'statement'],
  ['its CSV', statements.exportStatement, 'statement.csv'],
  ['assets', listAssets, 'assets?view=full'],
]

let opened: TestDatabase | undefined
afterEach(async () => {
  vi.unstubAllEnvs()
  await opened?.close()
  opened = undefined
})

/** Returns all answers, byte for byte, from a process and a server in this zone. */
async function answersIn(zone: string): Promise<Map<string, string>> {
  vi.stubEnv('TZ', zone)
  opened = await testDatabase({ today: TODAY })
  const { pathname } = new URL(opened.url)
  // Set before any connection is opened.
  await run(opened.url, `ALTER DATABASE "${pathname.slice(1)}" SET timezone TO '${zone}'`)
  await addCustomer('northwind')
  await addRows()
  const { rows } = await opened.opened.reads.query('SHOW timezone')
  // The product's connections set UTC, regardless of the server's default.
  expect(rows).toEqual([{ TimeZone: 'UTC' }])
  const headers = { Authorization: `Bearer ${await addKey('northwind', ['admin'])}` }
  const answers = new Map<string, string>()
  for (const [name, operation, end] of REQUESTS) {
    const response = await route(operation).GET(
      new Request(`http://console.example/billing/v1/${end}`, { headers }),
    )
    const body = Buffer.from(await response.arrayBuffer())
    expect([end, response.status]).toEqual([end, 200])
    answers.set(`${name}: ${end}`, body.toString('latin1'))
  }
  return answers
}

/** Adds times at the turn of a year and on a leap day, and due dates on each side of today. */
async function addRows(): Promise<void> {
  const add = (id: string, invoiceDate: string, dueDate: string) =>
    addInvoice('northwind', id, { invoiceDate, dueDate }, [{ description: id }])
  await add('IN-1', `${YEAR}-12-31`, `${YEAR + 1}-01-01`)
  await add('IN-2', `${YEAR + 1}-01-01`, '2096-02-29')
  await add('LATE', day(-40), day(-1))
  await add('TODAY', day(-30), day(0))
  await add('SOON', day(0), day(1))
  await add('AGED', day(-60), day(-30))
  await add('OLDER', day(-91), day(-91))
  await addAsset(
    'northwind',
    'workspace-suite-1',
    { purchased: 3, isCommitmentPlan: true, commitmentEnd: new Date('2027-01-01') },
    {
      createdAt: new Date('2026-12-31T23:59:59Z'),
    },
  )
}

describe.each(ENDS)('time zone %s', (zone, offset) => {
  test('every answer has UTC days', async () => {
    const usual = await answersIn('UTC')
    await opened?.close()
    const there = await answersIn(zone)
    expect(new Date(2026, 11, 31).getTimezoneOffset()).toBe(offset)
    for (const [name, answer] of usual) expect([name, there.get(name)]).toEqual([name, answer])
    const status = (id: string) =>
      new RegExp(`^${id},.*`, 'm').exec(there.get('the CSV: invoices.csv') ?? '')?.[0]
    expect(status('IN-1')).toContain(`IN-1,${YEAR}-12-31,${YEAR + 1}-01-01,`)
    expect(['LATE', 'TODAY', 'SOON'].map(status)).toEqual([
      expect.stringContaining(`${day(-40)},${day(-1)},cloud-platform,PAST DUE`),
      expect.stringContaining(`${day(-30)},${day(0)},cloud-platform,OPEN`),
      expect.stringContaining(`${day(0)},${day(1)},cloud-platform,OPEN`),
    ])
    const ages = (there.get('its CSV: statement.csv') ?? '').split('\r\n').map((line) => line.split(','))
    expect(
      ages.flatMap(([, , , id, , , , , , age, days]) => (id && id !== 'id' ? [[id, age, days]] : [])),
    ).toEqual([
      ['OLDER', 'older', '91'],
      ['AGED', 'days1To30', '30'],
      ['LATE', 'days1To30', '1'],
      ['TODAY', 'current', '0'],
      ['SOON', 'current', '0'],
      ['IN-1', 'current', '0'],
      ['IN-2', 'current', '0'],
    ])
    const pdf = Buffer.from(there.get('its PDF: invoices/IN-1/file') ?? '', 'latin1')
    const texts = readPages(pdf).flatMap((page) => page.map(({ text }) => text))
    expect(texts).toEqual(expect.arrayContaining([`31 Dec ${YEAR}`, `1 Jan ${YEAR + 1}`]))
  })
})

test('the local day of one of the two zones differs from the UTC day now', () => {
  const days = ENDS.map(([timeZone]) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(Date.now()))
  expect(days.filter((one) => one !== day(0)).length).toBeGreaterThan(0)
})
