import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, describe, expect, test } from 'vitest'
import { ImportError, problemText } from '../import-error.ts'
import { readCustomers } from './read.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-customers-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = join(folder, 'customers')
function read(text: string | Buffer) {
  writeFileSync(file, text)
  return readCustomers(file)
}

const CSV = readFileSync('docs/operate/customers.csv', 'utf8')
const JSON_TEXT = readFileSync('docs/operate/customers.json', 'utf8')
const withoutLines = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (name, one) => (name === 'line' ? undefined : one)))

/** Returns the errors of a file as the operator reads them. */
async function errorsOf(text: string | Buffer): Promise<string[]> {
  const error = await read(text).catch((thrown: unknown) => thrown)
  if (!(error instanceof ImportError)) return [`not refused: ${error}`]
  return error.problems.map(problemText)
}

describe('the examples of the docs', () => {
  test('are equal as CSV and as JSON', async () => {
    const customers = await read(CSV)
    expect(customers.map(({ id }) => id)).toEqual(['sunbird', 'moonbird'])
    expect(customers[0]).toMatchObject({
      name: 'Sunbird AG',
      profiles: [
        { id: 'default', address: 'Main Street 1\nBuilding B' },
        { id: 'emea', country: 'DE' },
      ],
      issuers: [{ name: 'Cloud Resale Ltd', iban: 'IE64IRCE92050112345678' }],
      members: [
        { email: 'ana@sunbird.example', roles: ['admin'] },
        { email: 'ben@sunbird.example', roles: ['it-manager', 'finance-user'], billingProfiles: ['emea'] },
      ],
      notices: [
        { email: 'ap@sunbird.example', profile: 'default', kinds: ['past-due', 'due', 'new'] },
        { email: 'ben@sunbird.example', profile: 'emea', kinds: ['past-due', 'licenses'] },
      ],
    })
    expect(withoutLines(customers)).toEqual(withoutLines(await read(JSON_TEXT)))
  })

  test.each([
    ['with a byte order mark', `\ufeff${CSV}`],
    ['with CRLF', CSV.replaceAll(/\r?\n/g, '\r\n')],
    ['with every cell in quotes', quoted(CSV)],
    [
      'in capitals and with spaces',
      CSV.replace(/^[^\n]+/, (header) => header.toUpperCase().replace('PROFILENAME', 'Profile Name')),
    ],
    ['with a row of blanks and a column without a name', CSV.replace(/^([^\n]+)\n/, '$1,\n,,,,,,\n')],
  ])('read the same %s', async (_, text) => {
    expect(withoutLines(await read(text))).toEqual(withoutLines(await read(JSON_TEXT)))
  })

  test('read the same with semicolons or tabs between the columns', async () => {
    const plain =
      'customer,name,domain,contactEmail,member,memberName,roles\nx,X,x.example,a@x.example,a@x.example,A,admin\n'
    const expected = withoutLines(await read(plain))
    expect(expected).toMatchObject([{ id: 'x', members: [{ roles: ['admin'] }] }])
    for (const separator of [';', '\t']) {
      const separated = plain.replaceAll(',', separator)
      expect(withoutLines(await read(separated))).toEqual(expected)
      const inQuotes = separated.replaceAll(/[^;\t\n]+/g, '"$&"')
      expect(withoutLines(await read(inQuotes))).toEqual(expected)
    }
  })
})

const HEADER =
  'customer,name,domain,contactEmail,profile,profileName,profileCountry,member,memberName,roles,memberProfiles,noticesTo,notices'

describe('errors of a file', () => {
  test('are all reported, by line and column', async () => {
    const rows = [
      'Sun Bird,X,sunbird.example,it@sunbird.example,,,,,,,,,',
      'a,A,nodomain,it@a.example,,,,,,,,,',
      'b,B,b.example,nobody,,,,,,,,,',
      'c,C,c.example,it@c.example,default,C,XX,,,,,,',
      'd,D,d.example,it@d.example,,,,x@d.example,X,boss,,,',
      'e,E,e.example,it@e.example,,,,x,X,admin,,,',
      'f,F,f.example,it@f.example,,,,,X,,,x@f.example,overdue',
      ',G,g.example,it@g.example,,,,,,,,,',
    ]
    expect(await errorsOf([HEADER, ...rows].join('\n'))).toEqual([
      'line 2, customer: is no id: small letters, digits and hyphens',
      'line 3, domain: is no domain such as sunbird.example',
      'line 4, contactEmail: is not an email address',
      'line 5, profileCountry: is no country code of two letters (ISO 3166-1), such as CH',
      'line 6, roles: there is no role "boss"; there are it-manager, finance-user, admin',
      'line 7, member: is not an email address',
      'line 8, member: is blank, but there is memberName without it',
      'line 8, notices: there is no notice "overdue"; there are past-due, due, new, licenses',
      'line 9, customer: is blank, but there is name, domain, contactEmail without it',
    ])
  })

  test.each([
    ['', [expect.stringContaining('customers is empty')]],
    ['\n\n', ['The file is empty.']],
    ['name\nA\n', ['line 1, customer: there is no such column']],
    [
      'customer,nmae\na,A\n',
      [expect.stringMatching(/^line 1: "nmae" is no column of this file: customer, name/)],
    ],
    ['customer,name,Name\na,A,B\n', ['line 1, name: there are two such columns']],
    ['customer,name\na,A,more\n', ['line 2: has 3 columns, not 2']],
    ['customer,name,\na,A,more\n', ['line 2: "more" is in a column without a name']],
    ['customer,name\na,"A\n', [expect.stringContaining('a quoted text that begins here does not end')]],
    ['customer,name\na,A\na,B\n', ['line 3, customer: "a" has another name than on line 2']],
    [
      'customer,member,roles\na,x@a.example,admin\na,X@a.example,finance-user\n',
      ['line 3, member: "x@a.example" has another roles than on line 2'],
    ],
    ['customer,domain\na,a.example\nb,A.example\n', ['line 3, domain: a.example is of a on line 2, too']],
    [Buffer.from([0x63, 0x75, 0xff, 0x0a]), [expect.stringContaining('is not UTF-8 text')]],
    ['{"id":"a","nmae":"A"}', [expect.stringContaining('line 1: Unrecognized key: "nmae"')]],
    ['{"id":"a"}\n{"id":"a"}', ['line 2, id: "a" is on line 1 already']],
    ['[{"id":"a","members":[{"email":"x"}]}]', ['line 1, members[0].email: is not an email address']],
    ['{"id":"a","members":{"email":"x"}}', [expect.stringContaining('line 1, members: ')]],
    ['[{"id":"a"}', ['line 1: the array does not end']],
  ])('%j', async (text, expected) => {
    expect(await errorsOf(text)).toEqual(expected)
  })
})

test('A repeated equal statement counts once', async () => {
  const rows = Array.from(
    { length: 3 },
    (_, at) => `a,A,a.example,it@a.example,default,A,,m${at}@a.example,M,admin,,,`,
  )
  expect(await read([HEADER, ...rows].join('\n'))).toMatchObject([
    { id: 'a', line: 2, profiles: [{ id: 'default', line: 2 }], members: [{}, { line: 3 }, {}] },
  ])
})

test('A file of 10,000 lines is read with all checks up to the last line', async () => {
  const rows = Array.from(
    { length: 10_000 },
    (_, at) => `c${at},C,c${at}.example,it@c.example,,,,m@c${at}.example,M,admin,,,`,
  )
  const customers = await read([HEADER, ...rows].join('\n'))
  expect(customers).toHaveLength(10_000)
  expect(await errorsOf([HEADER, ...rows, 'x,X,c7.example,it@c.example,,,,,,,,,'].join('\n'))).toEqual([
    'line 10002, domain: c7.example is of c7 on line 9, too',
  ])
})

function quoted(text: string): string {
  const rows: string[][] = parse(text)
  return rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n')
}
