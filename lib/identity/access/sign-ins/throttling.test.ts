import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { hashPassword } from '../passwords/hash.ts'
import { type BrowserClient, type SignedIn, signIn } from '../sign-in.ts'
import { setDeviceCookie } from './browsers.ts'
import { countAttempt, pruneBudgets } from './throttling.ts'

const PASSWORD = 'correct horse battery'
const WRONG = 'wrong wrong wrong'
let database: TestDatabase
let passwordHash = ''
let mail = ''
let made = 0

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  passwordHash = await hashPassword(PASSWORD)
})
afterAll(() => database.close())
beforeEach(async () => {
  mail = `Ana.${++made}@northwind.example`
  await addMember('northwind', { roles: ['it-manager'], email: mail, name: 'Ana Ruiz', passwordHash })
})

const from = (address: string, more: Partial<BrowserClient> = {}): BrowserClient => ({
  address,
  userAgent: 'Test',
  cookies: '',
  ...more,
})
const unknownClient = (number: number) => from(`198.51.${number >> 8}.${number & 255}`)
const right = (client: BrowserClient) => signIn({ email: mail, password: PASSWORD }, client)
const wrong = (client: BrowserClient, email = mail) => signIn({ email, password: WRONG }, client)
const kinds = (outcomes: SignedIn[]) => Object.groupBy(outcomes, ({ kind }) => kind)
const pass = (seconds: number) =>
  run(database.url, `UPDATE sign_in_budgets SET last_at = last_at - interval '${seconds} seconds'`)
/** Expects this number of outcomes, or up to three more where a slow machine lets the wait end during the test. */
function expectFew(outcomes: readonly SignedIn[] = [], count: number) {
  expect(outcomes.length).toBeGreaterThanOrEqual(count)
  expect(outcomes.length).toBeLessThan(count + 4)
}
/** Signs in and returns the browser, which is known to the account from then on. */
async function recognizedClient(address: string): Promise<BrowserClient> {
  const outcome = await right(from(address))
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
  return from(address, { cookies: setDeviceCookie(outcome.deviceCookie).split(';')[0] ?? '' })
}

describe('guessing at one account', () => {
  it('is throttled from 200 addresses, while the owner signs in from a known browser', async () => {
    const recognized = await recognizedClient('192.0.2.1')
    const outcomes: SignedIn[] = []
    // Ten of the 200 run concurrently, because there are not enough connections for all.
    for (let at = 0; at < 200; at += 10)
      outcomes.push(
        ...(await Promise.all(Array.from({ length: 10 }, (_, n) => wrong(unknownClient(at + n))))),
      )
    const { refused = [], throttled = [] } = kinds(outcomes)
    expectFew(refused, 20)
    expect(refused.length + throttled.length).toBe(200)
    expect(await right(recognized)).toMatchObject({ kind: 'signed-in' })
    // The wait may be over by now on a slow machine, so the last failure is moved an hour ahead.
    await pass(-3600)
    expect(await right(from('192.0.2.1'))).toMatchObject({ kind: 'throttled' })
    await pass(3600 + 30)
    expect(await right(from('192.0.2.1'))).toMatchObject({ kind: 'signed-in' })
  })

  it('is throttled per address, and uses little of the other addresses’ budget', async () => {
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => wrong(unknownClient(1))))
    expectFew(kinds(outcomes).refused, 5)
    expect(await right(unknownClient(1))).toEqual({ kind: 'throttled', seconds: expect.any(Number) })
    expect(await right(unknownClient(2))).toMatchObject({ kind: 'signed-in' })
  })

  it('counts one IPv6 network as one address', async () => {
    for (let n = 0; n < 5; n++) await wrong(from(`2001:db8:0:1::${n}`))
    expect(await right(from('2001:db8:0:1:ffff::1'))).toMatchObject({ kind: 'throttled' })
    expect(await right(from('2001:db8:0:2::1'))).toMatchObject({ kind: 'signed-in' })
  })

  it('waits longer with each failure, up to a quarter of an hour, and is forgotten after a day', async () => {
    const waits: number[] = []
    for (let n = 0; n < 20; n++) {
      const outcome = await wrong(unknownClient(3))
      if (outcome.kind !== 'throttled') continue
      waits.push(outcome.seconds)
      await pass(outcome.seconds)
    }
    const longest = [5, 15, 30, 60, 120, 240, 480, 900]
    expect(waits.length).toBeGreaterThan(6)
    expect(waits.filter((seconds, n) => seconds > (longest[n] ?? 900))).toEqual([])
    expect(waits.at(-1)).toBeGreaterThan(200)
    await pass(86_400)
    const again = await Promise.all(Array.from({ length: 6 }, () => wrong(unknownClient(3))))
    expectFew(kinds(again).refused, 5)
  })

  it('behaves the same for an unknown account', async () => {
    const email = `nobody.${made}@northwind.example`
    const [recognized, unknown] = [[], []] as SignedIn[][]
    for (let n = 0; n < 7; n++) {
      recognized?.push(await wrong(unknownClient(4)))
      unknown?.push(await wrong(unknownClient(4), email))
    }
    expect(unknown?.map(({ kind }) => kind)).toEqual(recognized?.map(({ kind }) => kind))
    const many = await Promise.all(Array.from({ length: 40 }, (_, n) => wrong(unknownClient(100 + n), email)))
    // Each of these addresses has one attempt, and all share the remaining budget of the account.
    expectFew(kinds(many).refused, 15)
  })
})

describe('an address with two hundred failures', () => {
  it('locks out neither other accounts nor known browsers', async () => {
    const office = '203.0.113.9'
    const recognized = await recognizedClient(office)
    for (let at = 0; at < 200; at += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => wrong(from(office), n % 2 ? mail : `other.${at + n}@x.example`)),
      )
    expect(await right(recognized)).toMatchObject({ kind: 'signed-in' })
    const colleague = `ben.${made}@northwind.example`
    await addMember('northwind', { roles: ['it-manager'], email: colleague, name: 'Ben', passwordHash })
    expect(await signIn({ email: colleague, password: PASSWORD }, from(office))).toMatchObject({
      kind: 'signed-in',
    })
  })
})

describe('a known browser', () => {
  it('has its own budget', async () => {
    const recognized = await recognizedClient('192.0.2.1')
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => wrong(recognized)))
    expectFew(kinds(outcomes).refused, 5)
    expect(await right(recognized)).toMatchObject({ kind: 'throttled' })
    // An attacker in that browser uses nothing of the owner's budget elsewhere.
    expect(await right(from('192.0.2.1'))).toMatchObject({ kind: 'signed-in' })
  })

  it('is unknown to other accounts, and a forged device cookie is not accepted', async () => {
    const recognized = await recognizedClient('192.0.2.1')
    const other = `other.${made}@northwind.example`
    for (let n = 0; n < 5; n++) await wrong(recognized, other)
    expect(await wrong(from('192.0.2.1'), other)).toMatchObject({ kind: 'throttled' })
    const forged = from('192.0.2.2', { cookies: `${recognized.cookies}x` })
    for (let n = 0; n < 25; n++) await wrong(unknownClient(200 + n))
    expect(await right(forged)).toMatchObject({ kind: 'throttled' })
    expect(await right(recognized)).toMatchObject({ kind: 'signed-in' })
  })
})

it('a success resets the failures of its source only', async () => {
  for (let n = 0; n < 18; n++) await wrong(unknownClient(300 + n))
  await wrong(from('192.0.2.7'))
  expect(await right(from('192.0.2.7'))).toMatchObject({ kind: 'signed-in' })
  const next = [
    await wrong(unknownClient(400)),
    await wrong(unknownClient(401)),
    await wrong(unknownClient(402)),
  ]
  expect(next.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'throttled'])
})

it('rejected attempts are not counted, and expired budgets are removed', async () => {
  const account = `x.${made}@northwind.example`
  for (let n = 0; n < 20; n++)
    await countAttempt(account, { address: `10.0.0.${n}`, recognizedBrowser: undefined })
  const source = { address: '10.0.1.1', recognizedBrowser: undefined }
  for (let n = 0; n < 8; n++) expect((await countAttempt(account, source)).kind).toBe('throttled')
  await pass(30)
  expect((await countAttempt(account, source)).kind).toBe('counted')
  await pass(86_500)
  expect(await pruneBudgets()).toBeGreaterThan(20)
  const { rows } = await database.opened.signIn.query('SELECT FROM sign_in_budgets')
  expect(rows).toEqual([])
})
