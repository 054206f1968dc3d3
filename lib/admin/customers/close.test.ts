import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { customersWithNotices } from '#lib/identity/access/due-work.ts'
import { redeemLink } from '#lib/identity/access/links/redeem.ts'
import { signInFrom } from '#lib/identity/access/test-sign-in.ts'
import { tokenOf } from '#lib/identity/scim/test-calls.ts'
import { claimDue, findTracked } from '#lib/licenses/vendor-passes/subscriptions.ts'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { findSessionCaller } from '#lib/platform/caller/session.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope, scopeOfMany } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addInvoice, addKey, addMember, callerOf } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { verifyChain } from '#lib/platform/history/verify.ts'
import { commandLine } from '../test-command.ts'

type Handlers = Record<string, (request: Request) => Promise<Response>>

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-closed-'))
let db: TestDatabase
const { admin } = commandLine(() => db.url, folder)
const PASSWORD = 'a good long password'
const writes: { contract: AnyContract; handlers: Handlers }[] = []
let [key, token] = ['', '']
let session = ''

beforeAll(async () => {
  db = await testDatabase()
  vi.stubEnv('BASE_URL', 'http://localhost:3000')
  for (const id of ['sunbird', 'other']) await addCustomer(id)
  key = await addKey('sunbird', ['admin'])
  token = await tokenOf('sunbird')
  await addMember('sunbird', { id: 'ana', roles: ['admin'], email: 'ana@sunbird.example' })
  session = await addSession('sunbird', 'ana')
  await addAsset('sunbird', 'cloud-platform-1', { purchased: 5 })
  await addAsset('sunbird', 'workspace-suite-1', { purchased: 5 }, { vendor: 'google-workspace' })
  await addInvoice('sunbird', 'INV-1')
  await redeemLink({
    secret: await invited('sunbird', 'eve@people.example'),
    password: PASSWORD,
    isNew: true,
  })
  for (const file of globSync('lib/*/*/contract.ts').filter(
    (name) => name !== 'lib/platform/api/contract.ts',
  )) {
    const exported: Record<string, AnyContract> = await import(/* @vite-ignore */ `../../../${file}`)
    for (const contract of Object.values(exported)) {
      if (!contract.path?.startsWith('/') || contract.method === 'GET' || contract.permission === 'none')
        continue
      const route = contract.path.replaceAll('{', '[').replaceAll('}', ']')
      writes.push({ contract, handlers: await import(/* @vite-ignore */ `../../../app${route}/route.ts`) })
    }
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await db.close()
  rmSync(folder, { recursive: true })
})

/** Invites a member and returns the secret of the link. */
async function invited(customer: string, email: string) {
  const { out } = await admin(
    `members add --customer ${customer} --email ${email} --name Eve --role it-manager`,
  )
  return out.trim().split('/').at(-1) ?? ''
}

const close = (args = 'sunbird') => admin(`customers close ${args}`)
const reopen = () => admin('customers reopen sunbird')
const actions = async (customer: string) =>
  (await db.sql(customer, 'SELECT action FROM audit_events ORDER BY id')).map(({ action }) => action)

/** Sends an example call of the contract with a key. */
async function send({ contract, handlers }: (typeof writes)[number]) {
  const example = contract.examples.find(({ answer }) => answer.status === 200) ?? contract.examples[0]
  const { params = {}, body } = example ?? {}
  const path = contract.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? 'x'))
  const text = body === undefined ? undefined : JSON.stringify(body)
  const request = new Request(`http://localhost:3000${path}`, {
    method: contract.method,
    headers: {
      authorization: `Bearer ${isOfDirectory(contract.path) ? token : key}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(text === undefined ? {} : { body: text }),
  })
  const response = await handlers[contract.method]?.(request)
  const responseBody = (await response?.json()) as { code?: string; detail?: string } | undefined
  return { status: response?.status, code: responseBody?.code, detail: responseBody?.detail }
}

/** Returns whether a path is of SCIM, which answers in the protocol's form, without our codes. */
const isOfDirectory = (path: string) => path.startsWith('/scim/')

/** Operations whose body decides: they may only lock a user out. See lib/identity/scim/closed.test.ts. */
const BY_BODY = ['changeMember', 'replaceScimUser', 'patchScimUser']

const read = async (path: string) => {
  const { GET } = (await import(/* @vite-ignore */ `../../../app${path}/route.ts`)) as Handlers
  const headers = { authorization: `Bearer ${key}` }
  return (await GET?.(new Request(`http://localhost:3000${path}`, { headers })))?.status
}

describe('a closed customer', () => {
  beforeAll(async () => {
    const { code, err } = await close('sunbird --gone-after 10')
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^sunbird is closed\. Everything can be read until \d{4}-\d\d-\d\d/),
    ])
  })
  afterAll(async () => {
    expect(await reopen()).toMatchObject({ code: 0, err: 'sunbird is open again.\n' })
  })

  test('refuses each operation that writes, with the days', async () => {
    expect(writes.length).toBeGreaterThan(4)
    const answers = await Promise.all(
      writes.map(
        async (write) =>
          [
            write.contract.name,
            write.contract.evenIfClosed,
            await send(write),
            isOfDirectory(write.contract.path) ? undefined : 'customer_closed',
          ] as const,
      ),
    )
    for (const [name, evenIfClosed, { status, code, detail }, expectedBody] of answers) {
      if (BY_BODY.includes(name)) expect.soft([name, evenIfClosed]).toEqual([name, true])
      else if (evenIfClosed) expect.soft([name, code]).not.toEqual([name, 'customer_closed'])
      else
        expect
          .soft([name, status, code, detail])
          .toEqual([
            name,
            403,
            expectedBody,
            expect.stringMatching(/^sunbird is closed since .* until .*; nothing can be changed\.$/),
          ])
    }
    expect(answers.filter(([, evenIfClosed]) => evenIfClosed).map(([name]) => name)).toContain('endSession')
  })

  test('is readable as before, by key and by session', async () => {
    for (const path of [
      '/billing/v1/assets',
      '/billing/v1/invoices',
      '/billing/v1/invoices.csv',
      '/auth/v1/validate',
    ])
      expect([path, await read(path)]).toEqual([path, 200])
    expect(await findSessionCaller(digestOf(session))).toMatchObject({
      id: 'ana',
      closed: { at: expect.any(Date) },
    })
  })

  test('is protected in the database against other writers, without losing work of other customers', async () => {
    const customerId = newCustomerId('sunbird')
    const insert = () => scope({ customerId }, (tx) => tx.execute("UPDATE assets SET name = 'x'"))
    const error = await insert().catch((thrown: unknown) => thrown)
    expect(toProblem(error)).toMatchObject({ code: 'customer_closed', status: 403 })
    const many = scopeOfMany(async (enter) => {
      await enter(newCustomerId('other'), (tx) => tx.execute("UPDATE customers SET name = 'changed'"))
      await enter(customerId, (tx) => tx.execute("UPDATE customers SET name = 'changed'"))
    })
    await expect(many).rejects.toThrow()
    expect(await db.sql('other', 'SELECT name FROM customers')).toEqual([{ name: 'other' }])
    expect(await db.sql('sunbird', 'SELECT name FROM assets ORDER BY id LIMIT 1')).toEqual([
      { name: 'cloud-platform-1' },
    ])
  })

  test.each([
    'members set-roles --customer sunbird --email ana@sunbird.example --role finance-user',
    'keys issue --customer sunbird --name x --role admin',
    'billing-profiles set default --customer sunbird --city Zurich',
    'issuers set Reseller --customer sunbird --city Dublin',
    'notices add a@sunbird.example --customer sunbird',
    'customers limits sunbird --requests 5',
    'customers rename sunbird --name New',
    'import assets assets.json --customer sunbird',
  ])('refuses the operator: %s', async (args) => {
    writeFileSync(join(folder, 'assets.json'), '[]')
    const before = await actions('sunbird')
    const { code, err } = await admin(args)
    expect([code, err]).toEqual([1, expect.stringContaining('is closed')])
    expect(await actions('sunbird')).toEqual(before)
  })

  test.each([
    'members list --customer sunbird',
    'keys list --customer sunbird',
    'issuers list --customer sunbird',
    'billing-profiles list --customer sunbird',
    'notices list --customer sunbird',
    'customers limits sunbird',
    'audit list --customer sunbird',
    'audit verify --customer sunbird',
    'sums verify --customer sunbird',
    'import list --customer sunbird',
    'changes list --customer sunbird',
  ])('is readable by the operator: %s', async (args) => {
    expect(await admin(args)).toMatchObject({ code: 0 })
  })

  test('lets its members sign in, change their password and be locked out', async () => {
    const enter = () => signInFrom({ email: 'eve@people.example', password: PASSWORD }, '192.0.2.2')
    expect(await enter()).toMatch(/^[\w-]{43}$/)
    // A member of another customer accepts an invitation there, although this customer is closed.
    const secret = await invited('other', 'eve@people.example')
    await redeemLink({ secret, password: 'another good password', isNew: true })
    expect(
      await signInFrom({ email: 'eve@people.example', password: 'another good password' }, '192.0.2.3'),
    ).toMatch(/^[\w-]{43}$/)
    expect(await admin('members disable --customer sunbird --email eve@people.example')).toMatchObject({
      code: 0,
    })
    expect(await enter()).toBeNull()
    expect((await admin('members enable --customer sunbird --email eve@people.example')).err).toContain(
      'is closed',
    )
  })

  test('is skipped by the jobs', async () => {
    await db.sql(
      'sunbird',
      `INSERT INTO notice_recipients (customer_id, id, email, licenses_since) VALUES ('sunbird', 'r', 'a@b.example', now())`,
    )
    expect(await customersWithNotices()).not.toContain('sunbird')
    await db.sql('sunbird', "UPDATE vendor_subscriptions SET next_read_at = now() - interval '1 hour'")
    const account = { vendor: 'google-workspace', vendorAccount: 'default' }
    expect(await claimDue(account, 10)).toEqual([])
    expect(
      await findTracked(account, [{ vendorCustomerId: 'C1', subscriptionId: 'S-sunbird-workspace-suite-1' }]),
    ).toEqual([])
  })

  test('cannot be closed again', async () => {
    expect(await close()).toMatchObject({ code: 1, err: expect.stringContaining('is closed since') })
  })

  test('is listed with its days', async () => {
    expect((await admin('customers list')).out).toMatch(
      /^sunbird .* \d{4}-\d\d-\d\d \d\d:\d\d {2}\d{4}-\d\d-\d\d \d\d:\d\d$/m,
    )
  })
})

describe('an open customer', () => {
  test('is restored as before, and its history contains closing and reopening', async () => {
    const { contract, handlers } = writes.find((one) => one.contract.name === 'endSession') ?? expect.fail()
    expect((await send({ contract, handlers })).status).toBe(404)
    expect(await admin('customers rename sunbird --name Sunbird')).toMatchObject({ code: 0 })
    const account = { vendor: 'google-workspace', vendorAccount: 'default' }
    expect(await claimDue(account, 10)).toHaveLength(1)
    expect(await customersWithNotices()).toContain('sunbird')
    expect(await actions('sunbird')).toEqual(
      expect.arrayContaining(['customer.closed', 'customer.reopened', 'customer.renamed']),
    )
    const customerId = newCustomerId('sunbird')
    expect((await scope({ customerId }, (tx) => verifyChain(tx, customerId))).violation).toBeUndefined()
    expect(await reopen()).toMatchObject({ code: 1, err: 'Sunbird is not closed.\n' })
  })

  test('is not closed while the outcome of a change is unknown', async () => {
    await db.sql(
      'sunbird',
      `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id, actor_name, request_id)
       VALUES ('sunbird', 'open', 'cloud-platform-1', 5, 6, 'SENT', 'key', 'k', 'k', 'r')`,
    )
    expect(await close()).toMatchObject({ code: 1, err: expect.stringContaining('of cloud-platform-1.') })
    await db.sql(
      'sunbird',
      "UPDATE license_changes SET state = 'APPLIED', settled_at = now() WHERE id = 'open'",
    )
  })

  test('is closed after running transactions, and times out with a message', async () => {
    const customerId = newCustomerId('other')
    const { promise: blocked, resolve: release } = Promise.withResolvers<void>()
    const { promise: began, resolve: begin } = Promise.withResolvers<void>()
    const change = scope({ customerId }, async (tx) => {
      await tx.execute("UPDATE customers SET name = 'written before'")
      begin()
      await blocked
    })
    await began
    expect(await close('other')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Another process is changing'),
    })
    release()
    await change
    expect(await close('other')).toMatchObject({ code: 0 })
    expect(await db.sql('other', 'SELECT name FROM customers')).toEqual([{ name: 'written before' }])
  })

  test('accepts or refuses each of 50 changes in parallel with a closing', async () => {
    await addCustomer('race')
    const customerId = newCustomerId('race')
    await callerOf('race', 'admin')
    const add = (at: number) =>
      scope({ customerId }, (tx) =>
        tx.execute(`INSERT INTO billing_profiles (customer_id, id, name) VALUES ('race', 'p${at}', 'P')`),
      ).then(
        () => 'done',
        (error: unknown) => toProblem(error).code,
      )
    const ends = await Promise.all([
      ...Array.from({ length: 25 }, (_, at) => add(at)),
      close('race'),
      ...Array.from({ length: 25 }, (_, at) => add(25 + at)),
    ])
    const done = ends.filter((end) => end === 'done').length
    expect(
      ends.filter(
        (end) => typeof end === 'string' && !['done', 'customer_closed', 'service_unavailable'].includes(end),
      ),
    ).toEqual([])
    expect(
      await db.sql('race', "SELECT count(*)::int AS count FROM billing_profiles WHERE id <> 'default'"),
    ).toEqual([{ count: done }])
  })
})

test('A customer past its retention is not let in by key, session or password', async () => {
  const caller = digestOf(key)
  expect(await findKeyCaller(caller)).toBeDefined()
  await close()
  const { Client } = (await import('pg')).default
  const owner = new Client({ connectionString: db.url })
  await owner.connect()
  await owner.query("BEGIN; SET LOCAL console.operated = 'sunbird'")
  await owner.query("UPDATE customers SET gone_at = now() WHERE id = 'sunbird'")
  await owner.query('COMMIT')
  await owner.end()
  expect(await findKeyCaller(caller)).toBeUndefined()
  expect(await findSessionCaller(digestOf(session))).toBeUndefined()
  expect(await signInFrom({ email: 'ana@sunbird.example', password: 'x' }, '192.0.2.1')).toBeNull()
  expect(await reopen()).toMatchObject({ code: 1, err: expect.stringContaining('is gone since') })
})
