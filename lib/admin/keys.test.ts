import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { commandLine } from './test-command.ts'

let db: TestDatabase
let customerId = ''
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await db.close()
})
beforeEach(async () => {
  customerId = await addNewCustomer()
  await addProfile(customerId, 'emea')
})

const { admin } = commandLine(() => db.url, process.cwd())
const issue = (args: string) =>
  admin(`keys issue --customer ${customerId} --role finance-user --name ERP ${args}`.trim())
const listed = async () => JSON.parse((await admin(`keys list --customer ${customerId} --json`)).out)
const days = ({ expiresAt, createdAt }: { expiresAt: string; createdAt: string }) =>
  (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000
const opens = async (key: string) => (await findKeyCaller(digestOf(key))) !== undefined

describe('issue', () => {
  test('takes billing profiles, networks and an end, and the key belongs to the customer', async () => {
    const { code, out } = await issue(
      '--profile emea --address 192.0.2.9/24 --address 2001:db8::1 --expires 12h',
    )
    expect([code, out]).toEqual([0, expect.stringMatching(/^lic_[0-9A-Za-z]{36}\n$/)])
    const [key] = await listed()
    expect(key).toMatchObject({
      owner: 'customer',
      status: 'ACTIVE',
      billingProfiles: ['emea'],
      addresses: ['192.0.2.0/24', '2001:db8::1/128'],
    })
    expect(days(key)).toBe(0.5)
  })

  test('ends a key after 90 days by default, and never on request', async () => {
    await issue('')
    await issue('--expires never')
    const [never, usual] = await listed()
    expect([never.expiresAt, days(usual)]).toEqual([null, 90])
  })

  test.each([
    ['--expires 366d', 'may be 365 at most'],
    ['--profile nobodys', 'billing profile'],
    ['--address home', 'neither an address nor a network'],
  ])('refuses %s', async (args, why) => {
    const { code, out, err } = await issue(args)
    expect([code, out, await listed()]).toEqual([1, '', []])
    expect(err).toContain(why)
  })
})

describe('rotate and revoke', () => {
  const ids = async () => (await listed()).map(({ id }: { id: string }) => id)

  test('rotate prints the former id and the key that follows it, of a member also', async () => {
    const ana = await addMember(customerId, { roles: ['finance-user'] })
    const former = await addKey(customerId, ['finance-user'], { issuedBy: ana })
    const [id] = await ids()
    const { code, out } = await admin(`keys rotate --customer ${customerId} ${id} --overlap now`)
    const [, named, next = ''] = /^(\S+)\t(lic_\w{36})\n$/.exec(out) ?? []
    expect([code, named]).toEqual([0, id])
    expect([await opens(former), await opens(next)]).toEqual([false, true])
    const again = await admin(`keys rotate --customer ${customerId} ${id}`)
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('rotated before')])
  })

  test('Both read many ids from standard input, and an invalid one does not stop the others', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => addKey(customerId, [])))
    const keyIds = await ids()
    const rotated = await admin(`keys rotate --customer ${customerId} -`, `${keyIds.join('\n')}\n`)
    const next = rotated.out
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[1] ?? '')
    expect([rotated.code, next.length]).toEqual([0, 3])
    expect(await Promise.all([...keys, ...next].map(opens))).toEqual(Array(6).fill(true))
    const list = [keyIds[0], 'none', '', ...keyIds.slice(1)].join('\r\n')
    const revoked = await admin(`keys revoke --customer ${customerId} -`, list)
    expect([revoked.code, revoked.out]).toEqual([1, ''])
    expect(revoked.err).toContain('has no key with the id none')
    expect(await Promise.all(keys.map(opens))).toEqual([false, false, false])
    expect(await Promise.all(next.map(opens))).toEqual([true, true, true])
  })

  test('revoke names the successor of a key, and ends the successor on request', async () => {
    const former = await addKey(customerId, [])
    const [id] = await ids()
    const { out } = await admin(`keys rotate --customer ${customerId} ${id}`)
    const next = out.trim().split('\t')[1] ?? ''
    const { err } = await admin(`keys revoke --customer ${customerId} ${id}`)
    expect(err).toMatch(/is revoked\. The key \S+, which followed it, goes on\./)
    expect([await opens(former), await opens(next)]).toEqual([false, true])
    const both = await admin(`keys revoke --customer ${customerId} ${id} --following`)
    expect([both.code, both.err]).toEqual([0, expect.not.stringContaining('goes on')])
    expect(await opens(next)).toBe(false)
  })

  test('Empty standard input is an error', async () => {
    expect(await admin(`keys revoke --customer ${customerId} -`)).toMatchObject({ code: 1, out: '' })
  })

  test('A customer’s commands don’t reach another customer’s keys', async () => {
    const other = await addNewCustomer()
    const key = await addKey(other, [], { id: `of-${other}` })
    for (const what of ['revoke', 'rotate']) {
      const { code, err } = await admin(`keys ${what} --customer ${customerId} of-${other}`)
      expect([code, err]).toEqual([1, expect.stringContaining('has no key with the id')])
    }
    expect(await opens(key)).toBe(true)
  })
})
