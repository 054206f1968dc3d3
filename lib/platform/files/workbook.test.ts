import Big from 'big.js'
import fc from 'fast-check'
import { readXlsx } from 'hucre/xlsx'
import { describe, expect, it, vi } from 'vitest'
import type { Column } from './table.ts'
import { unzip } from './test-zip.ts'
import { workbook } from './workbook.ts'

type Row = { name: string; currency: string; amount: string | null; day?: string }

const COLUMNS: Column<Row>[] = [
  { name: 'Product', width: 40, text: ({ name }) => name },
  { name: 'Date', day: ({ day = null }) => day },
  { name: 'Total', amount: ({ amount }) => amount },
  { name: 'Currency', text: ({ currency }) => currency },
]
const ROWS: Row[] = [
  { name: 'Copilot <&> "Plus" _x0041_', currency: 'USD', amount: '10.10', day: '2026-09-30' },
  { name: '=1+1', currency: 'JPY', amount: '1200' },
  { name: 'Storage', currency: 'USD', amount: '-0.005' },
  { name: 'Vault', currency: 'KWD', amount: '12345678901234.567' },
]

async function bytesOf(rows: Row[], mostRows?: number): Promise<Buffer> {
  const table = { columns: COLUMNS, batches: [rows], sums: { by: 'Currency', columns: ['Total'] } }
  return Buffer.concat(await Array.fromAsync(workbook('Lines', table, mostRows)))
}

async function partsOf(rows: Row[], mostRows?: number): Promise<Record<string, string>> {
  return Object.fromEntries(
    unzip(await bytesOf(rows, mostRows)).map(({ name, bytes }) => [name, bytes.toString('utf8')]),
  )
}

it('A workbook for people contains each cell with its type, and a row with the sum of each currency', async () => {
  const { sheets } = await readXlsx(await bytesOf(ROWS))
  expect(sheets.map(({ name }) => name)).toEqual(['Lines'])
  const rows = sheets[0]?.rows ?? []
  expect(rows.slice(0, 5)).toEqual([
    ['Product', 'Date', 'Total', 'Currency'],
    ['Copilot <&> "Plus" _x0041_', new Date('2026-09-30'), 10.1, 'USD'],
    ['=1+1', null, 1200, 'JPY'],
    ['Storage', null, -0.005, 'USD'],
    // A spreadsheet would drop the last digits of a number.
    ['Vault', null, '12345678901234.567', 'KWD'],
  ])
  expect(rows.slice(-3)).toEqual([
    ['Total JPY', null, 1200, 'JPY'],
    ['Total KWD', null, '12345678901234.567', 'KWD'],
    ['Total USD', null, 10.095, 'USD'],
  ])
})

it('A workbook for people has a bold header that stays in view, widths, a filter of its rows, and formulas', async () => {
  const parts = await partsOf(ROWS)
  const sheet = parts['xl/worksheets/sheet1.xml'] ?? ''
  expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>')
  expect(sheet).toContain('<autoFilter ref="A1:D5"/>')
  expect(sheet).toContain('<col min="1" max="1" width="40" customWidth="1"/>')
  expect(sheet).toContain('<f>SUMIF($D$2:$D$5,&#34;USD&#34;,C$2:C$5)</f><v>10.095</v>')
  const style = Number(/<c r="A1" s="(\d+)"/.exec(sheet)?.[1])
  const styles = parts['xl/styles.xml'] ?? ''
  const formats = /<cellXfs[^>]*>(.*)<\/cellXfs>/.exec(styles)?.[1]?.match(/<xf /g) ?? []
  expect(styles.split('<cellXfs')[1]?.split('<xf ')[style + 1]).toContain('fontId="1"')
  expect(/<fonts[^>]*>(.*)<\/fonts>/.exec(styles)?.[1]?.split('</font>')[1]).toContain('<b/>')
  expect(formats.length).toBe(Number(/<cellXfs count="(\d+)"/.exec(styles)?.[1]))
  for (const code of ['#,##0.00', '#,##0.000', '#,##0', 'yyyy-mm-dd'])
    expect(styles).toContain(`formatCode="${code}"`)
  expect(parts['xl/workbook.xml']).toContain(`hidden="1">'Lines'!$A$1:$D$5</definedName>`)
})

it('Rows beyond a sheet continue on the next one, and the sums of all are numbers without a formula', async () => {
  const { sheets } = await readXlsx(await bytesOf(ROWS, 3))
  expect(sheets.map(({ name }) => name)).toEqual(['Lines', 'Lines (2)'])
  expect(sheets.map(({ rows }) => rows[0])).toEqual(Array(2).fill(['Product', 'Date', 'Total', 'Currency']))
  expect(sheets[1]?.rows.slice(1, 3).map(([name]) => name)).toEqual(['Storage', 'Vault'])
  expect(sheets[1]?.rows.at(-1)).toEqual(['Total USD', null, 10.095, 'USD'])
  expect((await partsOf(ROWS, 3))['xl/worksheets/sheet2.xml']).not.toContain('<f>')
})

it('A column with an empty cell has no sum, and a workbook without rows has no sums', async () => {
  const { sheets } = await readXlsx(await bytesOf([...ROWS, { name: 'x', currency: 'USD', amount: null }]))
  expect(sheets[0]?.rows.at(-1)).toEqual(['Total USD', null, null, 'USD'])
  expect((await readXlsx(await bytesOf([]))).sheets[0]?.rows).toEqual([
    ['Product', 'Date', 'Total', 'Currency'],
  ])
})

it('A failure while the rows are read is thrown, and a client that leaves ends the work', async () => {
  async function* failing(): AsyncGenerator<Row[]> {
    yield ROWS
    throw new Error('The database has gone.')
  }
  const sums = { by: 'Currency', columns: ['Total'] }
  await expect(
    Array.fromAsync(workbook('Lines', { columns: COLUMNS, batches: failing(), sums })),
  ).rejects.toThrow('The database has gone.')

  let [isStarted, isEnded] = [false, false]
  async function* endless(): AsyncGenerator<Row[]> {
    try {
      isStarted = true
      for (let at = 0; ; at++)
        yield Array.from({ length: 1000 }, () => ({ ...(ROWS[0] as Row), name: `${Math.sin(at)}` }))
    } finally {
      isEnded = true
    }
  }
  const bytes = workbook('Lines', { columns: COLUMNS, batches: endless(), sums })
  while (!isStarted) await bytes.next()
  await bytes.return()
  expect(isEnded).toBe(true)
})

describe('any table', () => {
  type Row = { text?: string | null; number?: string | number | null; day?: string | null; at?: Date | null }

  const COLUMNS: Column<Row>[] = [
    { name: 'text', text: ({ text = null }) => text },
    { name: 'number', number: ({ number = null }) => number },
    { name: 'amount', amount: ({ number = null }) => (number === null ? null : String(number)) },
    { name: 'day', day: ({ day = null }) => day },
    { name: 'moment', moment: ({ at = null }) => at },
  ]

  async function bytesOf(...batches: Row[][]): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(workbook('Rows', { columns: COLUMNS, batches })))
  }

  function partsOf(bytes: Uint8Array): Record<string, string> {
    return Object.fromEntries(unzip(bytes).map(({ name, bytes }) => [name, bytes.toString('utf8')]))
  }

  async function rowsOf(...batches: Row[][]) {
    const { sheets } = await readXlsx(await bytesOf(...batches))
    return sheets.map(({ rows }) => rows)
  }

  it('writes typed cells below the column names', async () => {
    const at = new Date('2026-10-19T08:30:15Z')
    const rows = [{ text: 'Kovač 請求書', number: '-39004.92', day: '2026-09-30', at }, {}]
    expect(await rowsOf(rows, [], [{ number: 7 }])).toEqual([
      [
        ['text', 'number', 'amount', 'day', 'moment'],
        ['Kovač 請求書', -39004.92, -39004.92, new Date('2026-09-30T00:00:00Z'), at],
        [null, null, null, null, null],
        [null, 7, 7, null, null],
      ],
    ])
  })

  it('writes the column names even without rows', async () => {
    expect(await rowsOf()).toEqual([[['text', 'number', 'amount', 'day', 'moment']]])
  })

  it('formats amounts and days, and freezes the header row', async () => {
    const parts = partsOf(await bytesOf([{ number: '7.500', day: '2026-09-30' }]))
    expect(parts['xl/styles.xml']).toContain('formatCode="#,##0.000"')
    expect(parts['xl/styles.xml']).toContain('formatCode="yyyy-mm-dd"')
    const sheet = parts['xl/worksheets/sheet1.xml']
    expect(sheet).toContain('state="frozen"')
    // As written, without parsing: no cell may contain text where a number belongs.
    expect(sheet).toMatch(/<c r="B2"[^>]*><v>7\.500<\/v><\/c><c r="C2" s="\d+"><v>7\.500<\/v><\/c>/)
  })

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    "'=1",
    '_x0041_',
    '_X000d_',
    'a&b<c>"d"',
    ' a ',
    'a\r\nb',
  ])('keeps the text %j as unchanged text', async (text) => {
    const bytes = await bytesOf([{ text }])
    expect(partsOf(bytes)['xl/worksheets/sheet1.xml']).not.toContain('<f>')
    const { sheets } = await readXlsx(bytes)
    expect(sheets[0]?.rows[1]?.[0]).toBe(text)
  })

  describe('numbers', () => {
    it('are exact where a spreadsheet keeps each digit, and text otherwise', () =>
      fc.assert(
        fc.asyncProperty(fc.bigInt(-(10n ** 18n), 10n ** 18n), fc.nat(6), async (units, decimals) => {
          const number = decimal(units, decimals)
          const [[, row] = []] = await rowsOf([{ number }])
          const cell = row?.[1]
          const digits = number.replace(/[-.]/g, '').replace(/^0+/, '').length
          if (digits > 15) expect(cell).toBe(number)
          else expect(new Big(cell as number).eq(number)).toBe(true)
        }),
        { numRuns: 60 },
      ))

    it.each(['=1', 'NaN', '1e5', '1,5', '', Number.NaN])('rejects %j as a number', async (number) => {
      await expect(bytesOf([{ number }])).rejects.toThrow('number is not a plain decimal')
    })

    it('includes days', async () => {
      await expect(bytesOf([{ day: '30.09.2026' }])).rejects.toThrow('day is not a day')
    })
  })

  it('replaces characters that XML cannot contain, and truncates text that a cell cannot contain', async () => {
    const [[, marked, long] = []] = await rowsOf([
      { text: 'a\0b\u001fc\ud800d\uffff' },
      { text: 'x'.repeat(40_000) },
    ])
    expect(marked?.[0]).toBe('a\ufffdb\ufffdc\ufffdd\ufffd')
    expect(String(long?.[0])).toHaveLength(32_767)
    expect(String(long?.[0])).toMatch(/x…$/)
  })

  it('requests no batch before the previous one was sent, and none after the consumer has stopped', async () => {
    let readCount = 0
    async function* batches() {
      for (;;) {
        readCount += 1
        yield Array.from({ length: 1000 }, () => ({ text: crypto.randomUUID() }))
      }
    }
    const pieces = workbook('Rows', { columns: COLUMNS, batches: batches() })
    for (let n = 0; n < 3; n++) await pieces.next()
    expect(readCount).toBeLessThan(20)
    await pieces.return()
    const before = readCount
    await new Promise((resolve) => setImmediate(resolve))
    expect(readCount).toBe(before)
  })

  it('throws the errors of its rows', async () => {
    async function* batches(): AsyncGenerator<Row[]> {
      yield [{ text: 'one' }]
      throw new Error('The database is gone.')
    }
    const all = Array.fromAsync(workbook('Rows', { columns: COLUMNS, batches: batches() }))
    await expect(all).rejects.toThrow('The database is gone.')
  })

  function decimal(units: bigint, decimals: number): string {
    const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
    const whole = digits.slice(0, digits.length - decimals)
    const sign = units < 0n ? '-' : ''
    return decimals === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-decimals)}`
  }
})

it('The same table is the same file, whenever it is written', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const first = await bytesOf(ROWS)
    vi.setSystemTime(Date.now() + 3_600_000)
    expect((await bytesOf(ROWS)).equals(first)).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})
