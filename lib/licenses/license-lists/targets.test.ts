import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseWholeNumber } from '#lib/platform/values/numbers.ts'
import { readTargets } from './targets.ts'

const A = { line: 1, assetId: 'workspace-suite-1', quantity: 60 }
const B = { line: 2, assetId: 'office-suite-2', quantity: 1200 }

describe('a list is read', () => {
  test.each([
    ['tabs, as spreadsheets paste', 'workspace-suite-1\t60\noffice-suite-2\t1,200\n'],
    ['commas', 'workspace-suite-1,60\noffice-suite-2,1200'],
    ['semicolons and CRLF', 'workspace-suite-1;60\r\noffice-suite-2;1 200\r\n'],
    ['old line ends, spaces and a byte order mark', '\ufeff workspace-suite-1 , 60 \roffice-suite-2 ,1200\r'],
    ['quotes', '"workspace-suite-1","60"\n"office-suite-2","1,200"\n'],
    ['more than one separator', 'workspace-suite-1\t60\noffice-suite-2, 1200'],
    ['empty columns behind', 'workspace-suite-1\t60\t\t\noffice-suite-2\t1200\t\t'],
  ])('%s', (_what, text) => {
    expect(readTargets(text)).toEqual({ targets: [A, B], errors: [], skipped: 0 })
  })

  test.each([
    ['Asset ID,Total', 'workspace-suite-1,60'],
    ['asset_id;new total', 'workspace-suite-1;60'],
    ['Total\tID', '60\tworkspace-suite-1'],
    ['id,assetName,licenseQty', 'workspace-suite-1,"Plus, or ""more""",60'],
    ['id,quantity,name,target', 'workspace-suite-1,45,Plus,60'],
    ['Anlage;Anzahl', 'workspace-suite-1;60'],
  ])('by its column names: %s', (header, row) => {
    const { targets, errors } = readTargets(`${header}\n\n  \n${row}\n`)
    expect([targets, errors]).toEqual([[{ ...A, line: 4 }], []])
  })

  test('A row with an unspecified total is skipped and counted', () => {
    const text =
      'id,name,target\nworkspace-suite-1,Plus,60\ncloud-platform-1,Production,N/A\noffice-suite-2,Apps,'
    expect(readTargets(text)).toEqual({ targets: [{ ...A, line: 2 }], errors: [], skipped: 2 })
  })

  test('counts the lines of a quoted cell', () => {
    const text = 'id,name,total\nworkspace-suite-1,"two\r\nlines",60\noffice-suite-2,x,sixty'
    const { targets, errors } = readTargets(text)
    expect(targets).toEqual([{ ...A, line: 2 }])
    expect(errors).toEqual([{ line: 4, reason: expect.stringContaining('"sixty" is not a whole number') }])
  })
})

describe('a fault names its line', () => {
  test.each([
    ['office-suite-1,1.5', '"1.5" is not a whole number'],
    ['office-suite-1,1.200', '"1.200" is not a whole number'],
    ['office-suite-1,"1,20"', '"1,20" is not a whole number'],
    ['office-suite-1,-1', '"-1" is not a whole number'],
    ['office-suite-1,+5', '"+5" is not a whole number'],
    ['office-suite-1,1e3', '"1e3" is not a whole number'],
    ['office-suite-1,٣', 'is not a whole number'],
    ['office-suite-1,1000001', 'more than 1,000,000'],
    ['office-suite-1 60', 'no total follows "office-suite-1 60"'],
    ['office-suite-1,', 'no total follows'],
    [',60', 'no asset is named'],
    ['office-suite-1,1,200', 'there are 3 columns'],
    [`${'x'.repeat(301)},60`, 'too long'],
    ['"office-suite-1,60', 'does not end on this line'],
    ['"office\nsuite",60', 'does not end on this line'],
  ])('%s', (row, reason) => {
    const { errors, targets } = readTargets(`workspace-suite-1,60\n${row}\n`)
    expect([errors, targets]).toEqual([[{ line: 2, reason: expect.stringContaining(reason) }], [A]])
  })

  test('A number without quotes below a header is one column too many', () => {
    expect(readTargets('Asset ID,Total\noffice-suite-1,1,200').errors).toEqual([
      { line: 2, reason: expect.stringContaining('there are 3 columns') },
    ])
    expect(readTargets('ID,Name,Plan\noffice-suite-1,Apps,Flexible').errors).toEqual([
      { line: 1, reason: expect.stringContaining('no column is named for the total') },
    ])
  })

  test('for an asset listed twice, with equal totals or not', () => {
    const { errors, targets } = readTargets(
      'office-suite-1,5\nworkspace-suite-1,7\noffice-suite-1,5\noffice-suite-1,x',
    )
    const reason = '"office-suite-1" is on line 1 already'
    expect(errors).toEqual([3, 4].map((line) => ({ line, reason })))
    expect(targets).toHaveLength(2)
  })

  test('a first row of data is no header', () => {
    expect(readTargets('workspace-suite-1,sixty\noffice-suite-2,7').errors).toMatchObject([{ line: 1 }])
    expect(readTargets('id,60\noffice-suite-2,7').targets).toHaveLength(2)
  })

  test.each(['', ' \n\t\n;;\n', 'Asset ID,Total\n'])('A list without changes is rejected: %j', (text) => {
    expect(readTargets(text).errors).toEqual([{ reason: 'The list has no row with a total.' }])
  })
})

test('A list of 250 rows is read, and one more row is reported', () => {
  const list = (count: number) => Array.from({ length: count }, (_, at) => `a-${at},${at}`).join('\n')
  expect(readTargets(list(250)).targets).toHaveLength(250)
  const { targets, errors } = readTargets(list(251))
  expect([targets, errors]).toEqual([
    [],
    [{ reason: 'The list has 251 rows, and at most 250 assets can be changed at once.' }],
  ])
})

const id = fc.stringMatching(/^[a-z]{2,9}-[a-z0-9 ,;"'ä.:|-]{0,12}[a-z0-9]$/)
const rows = fc.uniqueArray(fc.record({ assetId: id, quantity: fc.integer({ min: 0, max: 1_000_000 }) }), {
  selector: ({ assetId }) => assetId,
  minLength: 1,
  maxLength: 20,
})
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

test('whatever way a list is written, it is read as it was meant', () => {
  const format = fc.record({
    separator: fc.constantFrom('\t', ';', ','),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    header: fc.constantFrom([], ['ID', 'Total'], ['Asset ID', 'Quantity']),
    blank: fc.boolean(),
    grouped: fc.boolean(),
  })
  fc.assert(
    fc.property(rows, format, (expected, { separator, end, header, blank, grouped }) => {
      const total = (value: number) => quoted(grouped ? value.toLocaleString('en') : String(value))
      const lines = expected.map(
        ({ assetId, quantity }) => `${quoted(assetId)}${separator}${total(quantity)}`,
      )
      if (header.length > 0) lines.unshift(header.join(separator))
      const text = lines.join(blank ? end + end : end)
      const { targets, errors } = readTargets(text)
      expect(errors).toEqual([])
      expect(targets.map(({ assetId, quantity }) => ({ assetId, quantity }))).toEqual(expected)
      const step = blank ? 2 : 1
      expect(targets.map(({ line }) => line)).toEqual(
        expected.map((_, at) => 1 + step * (at + (header.length ? 1 : 0))),
      )
    }),
  )
})

test('In any text each row is a target, an error of its line, or left open; none twice', () => {
  const cell = fc.oneof(fc.constantFrom('a-1', 'b-2', 'id', 'total', '7', '', '"', '1,2'), fc.string())
  const text = fc
    .array(fc.tuple(cell, fc.constantFrom(',', ';', '\t', '\n', '\r\n', ' ')), { maxLength: 30 })
    .map((parts) => parts.flat().join(''))
  fc.assert(
    fc.property(text, (input) => {
      const { targets, errors } = readTargets(input)
      expect(new Set(targets.map(({ assetId }) => assetId)).size).toBe(targets.length)
      const lines = [...targets, ...errors].flatMap(({ line }) => line ?? [])
      expect(new Set(lines).size).toBe(lines.length)
      expect(Math.max(1, ...lines)).toBeLessThanOrEqual(input.split(/\r\n|\r|\n/).length)
      for (const { quantity } of targets) expect(parseWholeNumber(String(quantity))).toBe(quantity)
    }),
  )
})

test.each([
  ['a quote without an end', `"${'a"b,'.repeat(100_000)}\n${'"\n'.repeat(20_000)}`],
  ['a word behind each quote', '"a" b,1\n'.repeat(20_000)],
  ['a quote behind each line of another kind', '\u2028"a" b\n'.repeat(20_000)],
])('a long text with %s is read in no time', (_what, text) => {
  const started = performance.now()
  expect(readTargets(text).errors.length).toBeGreaterThan(0)
  expect(performance.now() - started).toBeLessThan(30_000)
})

test('An unclosed quote consumes no further line, and is reported with its line', () => {
  const { targets, errors } = readTargets('workspace-suite-1,60\n"office-suite-1,60\n\noffice-suite-2,1200\n')
  expect(targets).toEqual([A, { ...B, line: 4 }])
  expect(errors).toEqual([{ line: 2, reason: expect.stringContaining('does not end on this line') }])
})
