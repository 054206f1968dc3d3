import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csv, type Dialect } from './csv.ts'
import type { Column } from './table.ts'

describe('csv', () => {
  type Row = { text: string | null; number: string | number | null }

  const COLUMNS: Column<Row>[] = [
    { name: 'first', text: ({ text }) => text },
    { name: 'amount', number: ({ number }) => number },
    { name: 'last', text: ({ text }) => text },
  ]

  async function written(...batches: Row[][]): Promise<string> {
    return (await Array.fromAsync(csv({ columns: COLUMNS, batches }))).join('')
  }

  async function cellOf(text: string): Promise<string> {
    const [, row] = parse(await written([{ text, number: null }]), { bom: true })
    return row?.[2] ?? ''
  }

  it('writes RFC 4180 with a byte order mark', async () => {
    const rows = [
      { text: 'a,b "c"\r\nd', number: '-50.55' },
      { text: null, number: null },
      { text: 'é 請求書 \u{1F4B6}', number: 7 },
    ]
    expect(await written(rows.slice(0, 1), [], rows.slice(1))).toBe(
      '\uFEFFfirst,amount,last\r\n"a,b ""c""\r\nd",-50.55,"a,b ""c""\r\nd"\r\n,,\r\né 請求書 \u{1F4B6},7,é 請求書 \u{1F4B6}\r\n',
    )
  })

  it('writes the column names even without rows', async () => {
    expect(await written()).toBe('\uFEFFfirst,amount,last\r\n')
    expect(await written([])).toBe('\uFEFFfirst,amount,last\r\n')
  })

  it.each(['=1', 'NaN', 'Infinity', '1e5', '1,5', ' 1', '', '+1', '--1', '1\n=2', Number.NaN, 1e21])(
    'rejects %j as a number',
    async (number) => {
      await expect(written([{ text: '', number }])).rejects.toThrow('amount is not a plain decimal')
    },
  )

  it.each(['-0.01', '0', '-12', '39004.92', '0.0000125', 12345678901, -3.5])(
    'writes the number %j unchanged',
    async (number) => {
      expect(parse(await written([{ text: '', number }]), { bom: true })[1]?.[1]).toBe(String(number))
    },
  )

  it.each<[Dialect, string]>([
    [{ separator: 'semicolon', decimal: 'comma' }, 'a,b;-1234,50;"c;d"'],
    [{ separator: 'semicolon' }, 'a,b;-1234.50;"c;d"'],
    [{ separator: 'tab', decimal: 'comma' }, 'a,b\t-1234,50\tc;d'],
    [{ decimal: 'comma' }, '"a,b","-1234,50",c;d'],
    [{}, '"a,b",-1234.50,c;d'],
  ])('writes the dialect %j', async (dialect, line) => {
    const columns: Column<string[]>[] = [
      { name: 'first', text: ([text = '']) => text },
      { name: 'amount', amount: ([, amount = '']) => amount },
      { name: 'last', text: ([, , text = '']) => text },
    ]
    const rows = [[['a,b', '-1234.50', 'c;d']]]
    const written = (await Array.fromAsync(csv({ columns, batches: rows }, dialect))).join('')
    expect(written.split('\r\n')[1]).toBe(line)
  })

  describe('formula escaping (CSV injection)', () => {
    it.each([
      ['=1+1', "'=1+1"],
      ['+1', "'+1"],
      ['-1', "'-1"],
      ['@SUM(A1)', "'@SUM(A1)"],
      ['\t=1', "'\t'=1"],
      ['\r=1', "'\r'=1"],
      ['\n=1', "'\n'=1"],
      ['\tplain', "'\tplain"],
      ['＝1', "'＝1"],
      ['＋1', "'＋1"],
      ['－1', "'－1"],
      ['＠A', "'＠A"],
      ['﹦1', "'﹦1"],
      ['  =1', "'  =1"],
      ['\u00A0\u200B\uFEFF=1', "'\u00A0\u200B\uFEFF=1"],
      [`=cmd|' /C calc'!A0`, `'=cmd|' /C calc'!A0`],
      ["x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"],
      ['"=1"', `'"=1"`],
      ['x;"=1', `x;'"=1`],
      ['x; @A;;-1', "x;' @A;;'-1"],
      ['a\r\n-b\n+c\t=d', "a\r\n'-b\n'+c\t'=d"],
    ])('writes %j as %j', async (text, expected) => {
      expect(await cellOf(text)).toBe(expected)
    })

    it.each([
      '',
      'a',
      "'",
      'a=b',
      '1-2',
      'Compute, on demand',
      '1 Sep – 30 Sep',
      '−5',
      'a@b.example',
      'x; y',
    ])('leaves %j unchanged', async (text) => {
      expect(await cellOf(text)).toBe(text)
    })

    const hostile = fc.array(
      fc.constantFrom(
        '=',
        '+',
        '-',
        '@',
        '＝',
        '－',
        '\t',
        '\r',
        '\n',
        ';',
        ',',
        '"',
        "'",
        ' ',
        '\u200B',
        'a',
        '1',
      ),
      { maxLength: 12 },
    )

    it('works for any separator, and changes the text only by apostrophes', async () => {
      await fc.assert(
        fc.asyncProperty(hostile, async (parts) => {
          const text = parts.join('')
          const cell = await cellOf(text)
          expect(cell.replaceAll("'", '')).toBe(text.replaceAll("'", ''))
          const whole = (await written([{ text, number: '-1' }])).slice(1)
          // Parses like Excel with the semicolon as separator: quotes in the middle of a cell have no effect.
          const cells = [cell, ...cell.split(/[;\t\r\n]/), ...whole.split(/[;\t\r\n]/)]
          expect(cells.filter((each) => /^[\p{Z}\p{C}"]*[=+\-@＝－]/u.test(each))).toEqual([])
        }),
        { numRuns: 500 },
      )
    })

    it('keeps all text in a round trip except for the apostrophes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
          const cell = await cellOf(text)
          expect(cell === text || cell.replaceAll("'", '') === text.replaceAll("'", '')).toBe(true)
        }),
      )
    })
  })
})
