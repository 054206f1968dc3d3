import { readXlsx } from 'hucre/xlsx'
import { expect, it } from 'vitest'
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
