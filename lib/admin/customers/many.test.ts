import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { commandLine } from '../test-command.ts'

// Commands that are about many customers, or about many of one, by lines.

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-many-'))
let db: TestDatabase
const { admin } = commandLine(() => db.url, folder)
beforeAll(async () => {
  db = await testDatabase()
  for (const id of ['sunbird', 'moonbird', 'closed']) await addCustomer(id)
  await admin('customers close closed')
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
const errorOutput = (...lines: string[]) =>
  `Refused, and nothing was stored:\n${lines.map((line) => `  ${line}\n`).join('')}`

const asset = (id: string, customerDomain: string) => ({
  id: `cloud-platform-${id}`,
  type: 'cloud-platform',
  name: 'Cloud',
  customerDomain,
  vendorCustomerId: 'C',
  createdAt: '2026-01-01',
  subscription: null,
})
const assetsOf = async (customer: string) =>
  (await db.sql(customer, 'SELECT id FROM assets ORDER BY id')).map(({ id }) => id)

describe('assets by the domain of their customer', () => {
  const TWO = JSON.stringify([
    asset('1', 'sunbird.example'),
    asset('2', 'Moonbird.example'),
    asset('3', 'sunbird.example'),
  ])

  test('are only checked in a dry run', async () => {
    const { code, out } = await admin('import assets - --by-domain --dry-run', TWO)
    expect([code, out]).toEqual([0, expect.stringContaining('Dry run: nothing was stored.')])
    expect([await assetsOf('sunbird'), await assetsOf('moonbird')]).toEqual([[], []])
  })

  test('are imported once per customer, and a repeated file changes nothing', async () => {
    const { code, out } = await admin('import assets - --by-domain --json', TWO)
    expect([code, JSON.parse(out).counts]).toEqual([0, { added: 3, unchanged: 0, replaced: 0 }])
    expect(await assetsOf('sunbird')).toEqual(['cloud-platform-1', 'cloud-platform-3'])
    expect(await assetsOf('moonbird')).toEqual(['cloud-platform-2'])
    const again = JSON.parse((await admin('import assets - --by-domain --json', TWO)).out)
    expect(again.counts).toEqual({ added: 0, unchanged: 3, replaced: 0 })
    const [listed] = JSON.parse((await admin('import list --json')).out)
    expect(listed).toMatchObject({ id: again.import, customer: 'moonbird, sunbird', unchanged: '3' })
    const report = JSON.parse((await admin(`import show ${again.import} --json`)).out)
    expect(report).toMatchObject({ rows: 3, counts: { unchanged: 3 } })
  })

  test.each([
    [
      [asset('9', 'sunbird.example'), asset('8', 'nobody.example')],
      ['asset cloud-platform-8, customerDomain: no customer has the domain "nobody.example"'],
    ],
    [
      [asset('9', 'moonbird.example'), { ...asset('1', 'sunbird.example'), name: 'Other' }],
      [
        'sunbird, asset cloud-platform-1, name: stored Cloud, given Other',
        'What is stored differs. Add --replace to write over it.',
      ],
    ],
  ])('are rejected as a whole if one is bad: %#', async (assets, lines) => {
    const { code, out, err } = await admin('import assets - --by-domain', JSON.stringify(assets))
    expect([code, out]).toEqual([1, ''])
    for (const line of lines) expect(err).toContain(line)
    expect([...(await assetsOf('sunbird')), ...(await assetsOf('moonbird'))]).toHaveLength(3)
  })

  test('are rejected if one of the customers is closed', async () => {
    const { code, err } = await admin(
      'import assets - --by-domain',
      JSON.stringify([asset('9', 'sunbird.example'), asset('7', 'closed.example')]),
    )
    expect([code, err]).toEqual([1, expect.stringContaining('closed is closed')])
    expect(await assetsOf('sunbird')).toHaveLength(2)
  })
})

describe('keys of many customers', () => {
  test('are written into a private file, and work', async () => {
    put(
      'wanted.csv',
      'customer,name,roles,days\nsunbird,ERP,"it-manager, finance-user",30\nmoonbird,Reports,finance-user,\n',
    )
    const { code, out, err } = await admin('customers issue-keys wanted.csv --out keys.csv')
    expect([code, out, err]).toEqual([
      0,
      '',
      '2 keys are in keys.csv. Keep the file: a key cannot be shown again.\n',
    ])
    expect(statSync(join(folder, 'keys.csv')).mode & 0o777).toBe(0o600)
    const rows = parse(readFileSync(join(folder, 'keys.csv')), { columns: true }) as Record<string, string>[]
    expect(rows.map(({ customer, name }) => [customer, name])).toEqual([
      ['sunbird', 'ERP'],
      ['moonbird', 'Reports'],
    ])
    const callers = await Promise.all(rows.map(({ key = '' }) => findKeyCaller(digestOf(key))))
    expect(callers).toMatchObject([
      { customerId: 'sunbird', id: rows[0]?.id, roles: ['it-manager', 'finance-user'] },
      { customerId: 'moonbird', roles: ['finance-user'] },
    ])
    const ends =
      'SELECT round(extract(epoch FROM expires_at - created_at) / 86400)::int AS days FROM api_keys'
    expect([await db.sql('sunbird', ends), await db.sql('moonbird', ends)]).toEqual([
      [{ days: 30 }],
      [{ days: 90 }],
    ])
    const events = await db.sql('sunbird', "SELECT details FROM audit_events WHERE action = 'key.issued'")
    expect(JSON.stringify(events)).not.toContain(rows[0]?.key)
    expect(events).toHaveLength(1)
  })

  test.each([
    [
      'customer,name,roles,days\nnobody,,boss,0\nclosed,A,admin,\n',
      errorOutput(
        'line 2, customer: there is no customer "nobody"',
        'line 2, name: is blank',
        'line 2, roles: there is no role "boss"; there are it-manager, finance-user, admin',
        'line 2, days: is no number of days, 1 to 3660',
        'line 3, customer: closed is closed',
      ),
    ],
    ['customer,name\nsunbird,A\n', errorOutput('line 1, roles: there is no such column')],
    ['customer,name,roles\n', 'There is no row in the file.\n'],
  ])('are not issued where a row is bad: %#', async (text, err) => {
    expect(await admin('customers issue-keys - --out none.csv', text)).toEqual({ code: 1, out: '', err })
    expect(existsSync(join(folder, 'none.csv'))).toBe(false)
  })

  test('are not issued where the file for them exists', async () => {
    const before = await db.sql('sunbird', 'SELECT id FROM api_keys')
    const { code, err } = await admin('customers issue-keys wanted.csv --out keys.csv')
    expect([code, err]).toEqual([1, 'keys.csv: there is a file already.\n'])
    expect(await db.sql('sunbird', 'SELECT id FROM api_keys')).toEqual(before)
  })
})

describe('members by lines', () => {
  const disabled = () =>
    db.sql('sunbird', 'SELECT email FROM members WHERE disabled_at IS NOT NULL ORDER BY email')

  test('are disabled one by one, and a failure does not stop the others', async () => {
    for (const name of ['ana', 'ben', 'cleo'])
      await addMember('sunbird', {
        roles: [name === 'cleo' ? 'admin' : 'it-manager'],
        email: `${name}@sunbird.example`,
      })
    const lines = '\ufeffana@sunbird.example\r\n\r\nnobody@sunbird.example\r\n BEN@sunbird.example \r\n'
    const { code, err } = await admin('members disable --customer sunbird --email -', lines)
    expect(code).toBe(1)
    expect(err).toContain('nobody@sunbird.example: sunbird has no member with the address')
    expect(err).toContain('1 of 3 were refused.')
    expect(await disabled()).toEqual([{ email: 'ana@sunbird.example' }, { email: 'ben@sunbird.example' }])
  })

  test('are enabled one by one; without a line nothing is done', async () => {
    const lines = 'ana@sunbird.example\nben@sunbird.example'
    expect(await admin('members enable --customer sunbird --email -', lines)).toMatchObject({ code: 0 })
    expect(await disabled()).toEqual([])
    expect(await admin('members enable --customer sunbird --email -', '\n')).toMatchObject({
      code: 1,
      err: 'There is no line on the standard input.\n',
    })
  })
})
