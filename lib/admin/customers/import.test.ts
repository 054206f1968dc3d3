import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { verifyChain } from '#lib/platform/history/verify.ts'
import { DEEP } from '../../../test/fakes/deep.ts'
import { commandLine } from '../test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-customers-'))
let db: TestDatabase
const { start, admin } = commandLine(() => db.url, folder)
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
let made = 0
beforeEach(() => {
  made += 1
})

const EXAMPLE = readFileSync('docs/operate/customers.csv', 'utf8')
const put = (text: string) => writeFileSync(join(folder, 'customers.csv'), text)
const links = () => `links-${made}.csv`
const run = (args = '') => admin(`customers import customers.csv ${args}`.trim())
const apply = (args = '') => run(`--yes --links ${links()} ${args}`.trim())
const rowsOf = (customer: string, table: string) =>
  db.sql(customer, `SELECT count(*)::int AS count FROM ${table}`).then(([row]) => row?.count)
const actions = async (customer: string) =>
  (await db.sql(customer, 'SELECT action FROM audit_events ORDER BY id')).map(({ action }) => action)

describe('the example of the docs', () => {
  test('is displayed first, and a dry run writes nothing', async () => {
    put(EXAMPLE)
    const { code, out, err } = await run('--dry-run')
    expect(code).toBe(0)
    expect(out).toMatch(/^sunbird +customer +sunbird +new +name Sunbird AG; domain sunbird\.example; /m)
    expect(out).toMatch(
      /^sunbird +member +ben@sunbird\.example +new +name Ben Okafor; roles it-manager, finance-user; /m,
    )
    expect(err).toContain('Customers: 2 new, 0 changed, 0 unchanged.')
    expect(err).toContain('Members: 3 new, 0 changed, 0 unchanged.')
    expect(err).toContain('Dry run: nothing was stored.')
    expect((await admin('customers list --json')).out).toBe('[]\n')
  })

  test('needs a way for the links of those who are new', async () => {
    put(EXAMPLE)
    expect(await run('--yes')).toMatchObject({ code: 1, err: expect.stringContaining('add --links <file>') })
    expect(await run('--yes --mail')).toMatchObject({ code: 1, err: expect.stringContaining('SMTP_URL') })
    expect((await run()).code).toBe(2)
    expect((await admin('customers list --json')).out).toBe('[]\n')
  })

  test('is imported completely, with links in a private file and an audit row per item', async () => {
    put(EXAMPLE)
    const { code, err } = await apply()
    expect([code, err]).toEqual([0, expect.stringContaining('2 of 2 customers are written.')])
    const path = join(folder, links())
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const made = parse(readFileSync(path, 'utf8'), { columns: true }) as Record<string, string>[]
    expect(made.map(({ email }) => email)).toEqual([
      'ana@sunbird.example',
      'ben@sunbird.example',
      'mia@moonbird.example',
    ])
    expect(made[0]?.link).toMatch(/^http:\/\/localhost:\d+\/invitation\/[\w-]{43}$/)
    expect(err).not.toContain(made[0]?.link)
    expect(
      await db.sql('sunbird', 'SELECT id, name, address, country FROM billing_profiles ORDER BY id'),
    ).toEqual([
      { id: 'default', name: 'Sunbird AG', address: 'Main Street 1\nBuilding B', country: 'CH' },
      { id: 'emea', name: 'Sunbird GmbH', address: null, country: 'DE' },
    ])
    expect(
      await db.sql(
        'sunbird',
        'SELECT email, roles, billing_profiles AS p, invited_at IS NOT NULL AS i FROM members ORDER BY email',
      ),
    ).toEqual([
      { email: 'ana@sunbird.example', roles: ['admin'], p: null, i: true },
      { email: 'ben@sunbird.example', roles: ['it-manager', 'finance-user'], p: ['emea'], i: true },
    ])
    expect(await rowsOf('sunbird', 'account_links')).toBe(2)
    expect(await rowsOf('sunbird', 'notice_subscriptions')).toBe(2)
    const history = await actions('sunbird')
    expect(history).toEqual([
      'customer.added',
      'billing-profile.set',
      'billing-profile.set',
      'issuer.set',
      'member.invited',
      'member.invited',
      'notices.set',
      'notices.set',
    ])
    const customerId = newCustomerId('sunbird')
    expect(await readScope({ customerId }, (tx) => verifyChain(tx, customerId))).toMatchObject({ count: 8 })
  })

  test('changes nothing the second time, as CSV or as JSON', async () => {
    const before = await actions('sunbird')
    put(EXAMPLE)
    expect(await run('--yes')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('Nothing to change.'),
    })
    put(readFileSync('docs/operate/customers.json', 'utf8'))
    expect(await run('--yes')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('Members: 0 new, 0 changed, 3 unchanged.'),
    })
    expect(await actions('sunbird')).toEqual(before)
  })

  test('changes only the changed line on a repeated import', async () => {
    const before = await actions('sunbird')
    put(EXAMPLE.replace('Ben Okafor,"it-manager, finance-user"', 'Ben Okafor,finance-user'))
    const { code, out } = await run('--yes')
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^customer .*\nsunbird +member +ben@sunbird\.example +changed +roles it-manager, finance-user → finance-user\n$/,
      ),
    ])
    expect((await actions('sunbird')).slice(before.length)).toEqual(['member.changed'])
  })
})

test('Customers, members and profiles missing in the file stay', async () => {
  put('customer,profile,profileName\nmoonbird,apac,Moonbird Asia\n')
  expect(await run('--yes')).toMatchObject({ code: 0 })
  expect(await rowsOf('sunbird', 'members')).toBe(2)
  expect(await rowsOf('moonbird', 'members')).toBe(1)
  expect(await rowsOf('moonbird', 'billing_profiles')).toBe(2)
})

test('A new domain moves the assets of the former one', async () => {
  await db.sql(
    'moonbird',
    `INSERT INTO assets (customer_id, id, type, name, customer_domain, vendor_customer_id, reseller)
     VALUES ('moonbird', 'cloud-1', 'cloud', 'Cloud', 'moonbird.example', 'C', 'r'),
       ('moonbird', 'cloud-2', 'cloud', 'Cloud', 'other.example', 'C', 'r')`,
  )
  put('customer,domain\nmoonbird,new-moon.example\n')
  expect(await run('--yes')).toMatchObject({ code: 0 })
  expect(await db.sql('moonbird', 'SELECT customer_domain AS d FROM assets ORDER BY id')).toEqual([
    { d: 'new-moon.example' },
    { d: 'other.example' },
  ])
  expect((await actions('moonbird')).at(-1)).toBe('customer.renamed')
})

describe('A file with one bad line is refused without writing', () => {
  test.each([
    [
      'customer,name\nnew,New\n',
      ['line 2, domain: is missing, and new is new', 'line 2, contactEmail: is missing, and new is new'],
    ],
    [
      'customer,domain\nmoonbird,sunbird.example\n',
      ['line 2, domain: sunbird.example is of the customer sunbird already'],
    ],
    ['customer,profile\nsunbird,none\n', ['line 2, profileName: is missing, and "none" is new']],
    [
      'customer,member\nsunbird,x@sunbird.example\n',
      [
        'line 2, memberName: is missing, and x@sunbird.example is new',
        'line 2, roles: is missing, and x@sunbird.example is new',
      ],
    ],
    [
      'customer,member,memberProfiles\nsunbird,ana@sunbird.example,none\n',
      ['line 2, memberProfiles: there is no billing profile "none"'],
    ],
    [
      'customer,noticesTo,notices,noticesProfile\nsunbird,a@b.example,new,none\n',
      ['line 2, noticesProfile: there is no billing profile "none"'],
    ],
    [
      'customer,member,roles\nsunbird,ana@sunbird.example,finance-user\n',
      ['line 2, roles: would leave sunbird without an Admin'],
    ],
  ])('%j', async (text, errors) => {
    put(`${text}`)
    const before = await actions('sunbird')
    const { code, out, err } = await apply()
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe(`Refused, and nothing was stored:\n${errors.map((error) => `  ${error}\n`).join('')}`)
    expect(existsSync(join(folder, links()))).toBe(false)
    expect(await actions('sunbird')).toEqual(before)
  })

  test('even when other lines are good', async () => {
    put(
      'customer,name,domain,contactEmail\ngood,Good,good.example,it@good.example\nbad,Bad,good.example,it@bad.example\n',
    )
    expect((await apply()).code).toBe(1)
    expect((await admin('customers list')).out).not.toContain('good')
  })
})

test('An address may be a member of several customers, which do not learn of each other', async () => {
  put('customer,member,memberName,roles\nmoonbird,ana@sunbird.example,Ana Ruiz,finance-user\n')
  const { code, out, err } = await apply()
  expect([code, out + err]).toEqual([0, expect.not.stringContaining('sunbird,')])
  expect(await db.sql('moonbird', "SELECT roles FROM members WHERE email = 'ana@sunbird.example'")).toEqual([
    { roles: ['finance-user'] },
  ])
  expect(await db.sql('sunbird', "SELECT roles FROM members WHERE email = 'ana@sunbird.example'")).toEqual([
    { roles: ['admin'] },
  ])
})

test('Links are mailed on request, and displayed nowhere', async () => {
  const mail = {
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'b@reseller.example',
    BASE_URL: 'http://localhost:3000',
  }
  for (const [name, value] of Object.entries(mail)) vi.stubEnv(name, value)
  put('customer,member,memberName,roles\nmoonbird,max@moonbird.example,Max,it-manager\n')
  const { code, out } = await run('--yes --mail --json')
  for (const name of Object.keys(mail)) vi.stubEnv(name, '')
  expect([code, JSON.parse(out)]).toEqual([
    0,
    [
      expect.objectContaining({
        customer: 'moonbird',
        what: 'member',
        which: 'max@moonbird.example',
        change: 'new',
      }),
    ],
  ])
  const links = await db.sql(
    'moonbird',
    "SELECT l.state FROM account_links l JOIN members m ON m.customer_id = l.customer_id AND m.id = l.member_id WHERE m.email = 'max@moonbird.example'",
  )
  expect(links).toEqual([{ state: 'WAITING' }])
})

test('Parallel imports leave each customer complete, once', async () => {
  put(
    `customer,name,domain,contactEmail,member,memberName,roles\n${Array.from(
      { length: 20 },
      (_, at) => `twin-${at},Twin,twin-${at}.example,it@twin.example,t@twin-${at}.example,T,admin\n`,
    ).join('')}`,
  )
  const ends = await Promise.all(
    ['a', 'b'].map((name) => start(`customers import customers.csv --yes --links twins-${name}.csv`).ended),
  )
  // The loser of a race reports the conflict and can be repeated.
  for (const { code, err } of ends) if (code !== 0) expect(err).toContain('can be imported again')
  const all = ['a', 'b'].flatMap((name) => {
    const path = join(folder, `twins-${name}.csv`)
    return existsSync(path)
      ? (parse(readFileSync(path, 'utf8'), { columns: true }) as { email: string }[])
      : []
  })
  expect(all.map(({ email }) => email).sort()).toEqual(
    Array.from({ length: 20 }, (_, at) => `t@twin-${at}.example`).sort(),
  )
  for (let at = 0; at < 20; at++) expect(await rowsOf(`twin-${at}`, 'members')).toBe(1)
  expect(await run('--yes')).toMatchObject({ code: 0, err: expect.stringContaining('Nothing to change.') })
})

// Of thousands of lines, given enough time: each member has their own link.
const MANY = DEEP ? 100 : 15

test('A file of many lines is written to the last one', async () => {
  const rows = Array.from(
    { length: 20 * MANY },
    (_, at) =>
      `many-${Math.floor(at / 20)},,,,m${at}@many.example,M,${at % 20 === 0 ? 'admin' : 'it-manager'}\n`,
  )
  const lines = Array.from(
    { length: MANY },
    (_, at) => `many-${at},Many,many-${at}.example,it@many.example,,,\n`,
  )
  put(`customer,name,domain,contactEmail,member,memberName,roles\n${[...lines, ...rows].join('')}`)
  const { code, err } = await apply()
  expect([code, err]).toEqual([0, expect.stringContaining(`${MANY} of ${MANY} customers are written.`)])
  expect(await rowsOf(`many-${MANY - 1}`, 'members')).toBe(20)
})
