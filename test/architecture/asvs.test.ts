import { describe, expect, test } from 'vitest'
import { isTest, projectFiles, read } from './scan.ts'

const PAGE = 'docs/evidence/asvs.md'

/** OWASP ASVS 5.0.0: by section, the level of each requirement of levels 1 and 2, in order. No number is omitted. */
const REQUIREMENTS = `
  1.1:22 1.2:111112222 1.3:11222222222 1.4:222 1.5:12
  2.1:122 2.2:112 2.3:1222 2.4:2
  3.2:11 3.3:1222 3.4:112222 3.5:11122 3.7:22
  4.1:122 4.2:2 4.3:22 4.4:1222
  5.1:2 5.2:112 5.3:11 5.4:222
  6.1:122 6.2:111111112222 6.3:1122 6.4:1122 6.5:22222 6.6:222 6.8:2222
  7.1:222 7.2:1111 7.3:22 7.4:11222 7.5:22 7.6:22
  8.1:12 8.2:112 8.3:1 8.4:2
  9.1:111 9.2:1222
  10.1:22 10.2:22 10.3:2222 10.4:11111222222 10.5:22222 10.6:22 10.7:222
  11.1:22 11.2:222 11.3:112 11.4:1222 11.5:2 11.6:2
  12.1:122 12.2:11 12.3:2222
  13.1:2 13.2:22222 13.3:22 13.4:12222
  14.1:22 14.2:1222 14.3:122
  15.1:122 15.2:122 15.3:1222222
  16.1:2 16.2:22222 16.3:2222 16.4:222 16.5:222
  17.1:2 17.2:2222 17.3:22`
const RESULTS = ['met', 'not met', 'deployer', 'not applicable'] as const

type Row = { id: string; result: string; why: string; evidence: string[] }

const expected = REQUIREMENTS.trim()
  .split(/\s+/)
  .flatMap((part) => {
    const [section = '', levels = ''] = part.split(':')
    return [...levels].map((_, index) => `V${section}.${index + 1}`)
  })
const files = new Set([...projectFiles(), '.env.example'])

test('the page has each requirement of levels 1 and 2 once', () => {
  expect(expected).toHaveLength(253)
  const listed = rowsOf(read(PAGE)).map(({ id }) => id)
  expect(listed.toSorted()).toEqual(expected.toSorted())
})

test('each requirement has a verdict, gives a reason, and names files that exist, and a test or a document if it is met', () => {
  expect(rowsOf(read(PAGE)).flatMap(faultsOf)).toEqual([])
})

test('the counts of the summary equal those of the tables', () => {
  const text = read(PAGE)
  const counted = countsOf(rowsOf(text))
  expect(summaryOf(text)).toEqual(counted)
  expect(counted.at(-1)).toMatch(/^all 253 /)
})

describe('a fault in the page is found', () => {
  const row = (evidence: string, result = 'met', why = 'So it is') =>
    `| V1.1.1 | short | ${result} | ${why} | ${evidence} |`

  test.each([
    [row('`lib/platform/runtime/log.test.ts`, `docs/operate/security.md`'), []],
    [row('`docs/operate/security.md`, `biome.jsonc`'), []],
    [row('`lib/platform/runtime/log.ts`'), ['V1.1.1: names no test']],
    [row('`lib/platform/runtime/log.ts`', 'not met'), []],
    [row('`lib/lgo.test.ts`'), ['V1.1.1: `lib/lgo.test.ts` is not there']],
    [row('lib/platform/runtime/log.test.ts'), ['V1.1.1: names no file']],
    ['Not applicable: V1.1.1, V1.1.2. There is none.', []],
    [row('`lib/platform/runtime/log.test.ts`', 'nearly met'), ['V1.1.1: "nearly met" is no verdict']],
    [row('`lib/platform/runtime/log.test.ts`', 'met', ''), ['V1.1.1: does not say why']],
  ])('%s', (text, faults) => {
    expect(rowsOf(text).flatMap(faultsOf)).toEqual(faults)
  })

  test('a wrong count', () => {
    const text = `${row('`lib/platform/runtime/log.test.ts`')}\n| V1 Encoding | 1 | 1 | 0 | 0 | 0 |\n| all | 1 | 1 | 0 | 0 | 0 |`
    expect(summaryOf(text)).toEqual(countsOf(rowsOf(text)))
    expect(summaryOf(text.replace('| 1 | 1 | 0', '| 1 | 0 | 1'))).not.toEqual(countsOf(rowsOf(text)))
  })
})

/** Returns the rows of the tables, and those of the lists of requirements that are not applicable. */
function rowsOf(text: string): Row[] {
  const rows = [...text.matchAll(/^\| (V\d+\.\d+\.\d+) \|(.*)\|$/gm)].map(([, id = '', rest = '']) => {
    const [, result = '', why = '', evidence = ''] = rest.split('|').map((cell) => cell.trim())
    const paths = [...evidence.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
    return { id, result, why, evidence: paths }
  })
  const lists = [...text.matchAll(/^Not applicable: ((?:V[\d.]+\d(?:, )?)+)\. (.+)$/gm)]
  const listed = lists.flatMap(([, ids = '', why = '']) =>
    ids.split(', ').map((id) => ({ id, result: 'not applicable', why, evidence: [] })),
  )
  return [...rows, ...listed]
}

/** Files that people or tools read, for claims that no test can show. */
const DOCUMENT = /^(docs\/.+\.md|SECURITY\.md|(package|tsconfig)\.json|biome\.jsonc|next\.config\.mjs)$/

function faultsOf({ id, result, why, evidence }: Row): string[] {
  const faults = evidence.filter((path) => !files.has(path)).map((path) => `\`${path}\` is not there`)
  if (!RESULTS.some((allowed) => allowed === result)) faults.push(`"${result}" is no verdict`)
  if (why === '') faults.push('does not say why')
  if (result !== 'not applicable' && evidence.length === 0) faults.push('names no file')
  const hasEvidence = evidence.some(isTest) || evidence.every((path) => DOCUMENT.test(path))
  if (result === 'met' && !hasEvidence) faults.push('names no test')
  return faults.map((fault) => `${id}: ${fault}`)
}

/** Returns for each chapter the number of requirements and of each verdict; the totals come last. */
function countsOf(rows: readonly Row[]): string[] {
  const chapters = Map.groupBy(rows, ({ id }) => id.split('.')[0] ?? '')
  const sorted = [...chapters].sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)))
  const line = (name: string, section: readonly Row[]) =>
    [
      name,
      section.length,
      ...RESULTS.map((one) => section.filter(({ result }) => result === one).length),
    ].join(' ')
  return [...sorted.map(([name, section]) => line(name, section)), line('all', rows)]
}

function summaryOf(text: string): string[] {
  return [...text.matchAll(/^\| (V\d+ [^|]+|all) \|((?: \d+ \|){5})$/gm)].map(([, name = '', counts = '']) =>
    [name.trim().split(' ')[0], ...(counts.match(/\d+/g) ?? [])].join(' '),
  )
}
