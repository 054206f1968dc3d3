import { globSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { listInvoices, readInvoice } from '#lib/billing/invoices/operations.ts'
import { listAssets } from '#lib/licenses/assets/operations.ts'

import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller, Role } from '#lib/platform/caller/rules.ts'
import { licenseScope, scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addInvoice, addKey, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'

import { cacheKey, cacheStats, readAnswer, storeAnswer } from './answer-cache.ts'
import { type AnyContract, type CachePart, contract } from './contract.ts'
import { answer } from './endpoint.ts'
import { operation } from './operation.ts'

let database: TestDatabase
beforeAll(async () => {
  vi.stubEnv('ANSWER_CACHE_MB', '1')
  database = await testDatabase({ today: '2026-11-25' })
  const [customer, key] = await customerWithKey('finance-user')
  // The first look whether all transactions replace versions is in the background.
  await vi.waitUntil(() => isCached(customer, key), { timeout: 60_000 })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

const owner = (customerId: string) => ({ customerId: customerId as never })

async function customerWithKey(...roles: Role[]): Promise<[customer: string, key: string]> {
  const customer = await addNewCustomer()
  await addInvoice(customer, 'A-1')
  return [customer, await addKey(customer, roles)]
}

/** Sends a read with a key, and returns status, headers and body. */
async function get(key: string, path: string, headers: Record<string, string> = {}) {
  const [pathname = '', search = ''] = path.split('?')
  const name = pathname.includes('/assets')
    ? listAssets
    : pathname.endsWith('/invoices')
      ? listInvoices
      : readInvoice
  const response = await answer([name], {
    method: 'GET',
    path: pathname,
    search,
    headers: new Headers({ authorization: `Bearer ${key}`, ...headers }),
    read: async () => new Uint8Array(),
  })
  const body = response.body === null ? null : JSON.parse(String(response.body))
  return { status: response.status, etag: response.headers.ETag ?? '', body, headers: response.headers }
}

const LIST = '/billing/v1/invoices'

async function isCached(customer: string, key: string): Promise<boolean> {
  await get(key, LIST)
  return isStillCached(customer, key)
}

/** Returns whether the list is cached, without asking for it. */
async function isStillCached(customer: string, key: string): Promise<boolean> {
  const entry = cacheKey(listInvoices.contract, await findKeyCaller(digestOf(key)), `${LIST}?`)
  return entry?.customerId === customer && readAnswer(entry) !== undefined
}

const idsOf = (list: { body: { invoices: { id: string }[] } }) =>
  list.body.invoices.map(({ id }) => id).sort()

describe('a cached answer', () => {
  it('equals the computed one, and If-None-Match is answered from it', async () => {
    const [customer, key] = await customerWithKey('finance-user')
    const computed = await get(key, LIST)
    expect(await isCached(customer, key)).toBe(true)
    const cached = await get(key, LIST)
    expect(cached).toMatchObject({ status: 200, body: computed.body, etag: computed.etag })
    expect(await get(key, LIST, { 'if-none-match': computed.etag })).toMatchObject({
      status: 304,
      body: null,
    })
    expect(await get(key, LIST, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 })
    expect((await get(key, `${LIST}/A-1`)).headers['Content-Location']).toBe(
      (await get(key, `${LIST}/A-1`)).headers['Content-Location'],
    )
  })

  it('ends with each committed change, and not with one that was rolled back', async () => {
    const [customer, key] = await customerWithKey('finance-user')
    await get(key, LIST)
    await scope(owner(customer), async (tx) => {
      await tx.execute("UPDATE invoices SET balance_amount = '1'")
      throw new Error('planted')
    }).catch(() => {})
    expect(await isCached(customer, key)).toBe(true)
    await addInvoice(customer, 'A-2')
    expect(idsOf(await get(key, LIST))).toEqual(['A-1', 'A-2'])
  })

  it('ends with a change by a process of the previous release, which replaces no version', async () => {
    const [customer, key] = await customerWithKey('finance-user')
    await get(key, LIST)
    await database.opened.app.query(
      `BEGIN; SET LOCAL console.customer = '${customer}'; SELECT enter_to_write('${customer}');
       UPDATE invoices SET platform = 'other' WHERE customer_id = '${customer}'; COMMIT`,
    )
    expect((await get(key, LIST)).body.invoices[0].platform).toBe('other')
  })

  it('without licenses outlasts license writes, until the next other write', async () => {
    const [customer, key] = await customerWithKey('finance-user')
    const managerKey = await addKey(customer, ['it-manager'])
    const versionWith = async (write: () => Promise<unknown>) => {
      await addAsset(customer, 'office-suite-1', { purchased: 5 }).catch(() => {})
      await get(key, LIST)
      await write()
      return isStillCached(customer, key)
    }
    const quantity = async () => (await get(managerKey, '/billing/v1/assets')).body.assets[0].quantity
    const setQuantity = (total: number) =>
      licenseScope(owner(customer), (tx) => tx.execute(`UPDATE assets SET seats_purchased = ${total}`))
    expect(await versionWith(() => setQuantity(6))).toBe(true)
    expect(await quantity()).toBe(6)
    expect(await versionWith(() => setQuantity(7))).toBe(true)
    expect(await quantity()).toBe(7)
    expect(await versionWith(() => addInvoice(customer, 'A-2'))).toBe(false)
    expect(await versionWith(() => setQuantity(8))).toBe(true)
    // A process of the previous release, which knows one version only.
    const replace = () =>
      database.opened.app.query(
        `BEGIN; SET LOCAL console.customer = '${customer}';
         UPDATE customer_versions SET version = version + 1; COMMIT`,
      )
    expect(await versionWith(replace)).toBe(false)
    expect(await versionWith(() => setQuantity(9))).toBe(true)
    expect(await quantity()).toBe(9)
  })

  it('without licenses is refused other writes by the check of test databases', async () => {
    const [customer] = await customerWithKey('finance-user')
    const write = (query: string) => licenseScope(owner(customer), (tx) => tx.execute(query))
    await expect(write("UPDATE invoices SET platform = 'other'")).rejects.toThrow()
    await addAsset(customer, 'office-suite-1', { purchased: 5 })
    await expect(write('UPDATE assets SET seats_purchased = 6')).resolves.toBeDefined()
    const both = "UPDATE assets SET seats_purchased = 7; UPDATE invoices SET platform = 'other'"
    await expect(write(both)).rejects.toThrow()
  })

  it('ends at midnight of UTC', async () => {
    const [, key] = await customerWithKey('finance-user')
    expect((await get(key, LIST)).body.invoices[0].status).toBe('OPEN')
    await database.setToday('2026-12-01')
    expect((await get(key, LIST)).body.invoices[0].status).toBe('PAST DUE')
    await database.setToday('2026-11-25')
    expect((await get(key, LIST)).body.invoices[0].status).toBe('OPEN')
  })

  it('is of one customer, and of the billing profiles that its caller sees', async () => {
    const [customer, key] = await customerWithKey('finance-user')
    const [, foreignKey] = await customerWithKey('finance-user')
    await addProfile(customer, 'berlin')
    await addInvoice(customer, 'B-1', { billingProfileId: 'berlin' })
    await get(key, LIST)
    const limitedKey = await addKey(customer, ['finance-user'], { billingProfiles: ['berlin'] })
    for (let round = 0; round < 3; round++) {
      expect(idsOf(await get(key, LIST))).toEqual(['A-1', 'B-1'])
      expect(idsOf(await get(limitedKey, LIST))).toEqual(['B-1'])
      expect(idsOf(await get(foreignKey, LIST))).toEqual(['A-1'])
      expect(await get(limitedKey, `${LIST}/A-1`)).toMatchObject({ status: 404 })
    }
  })

  it('is not sent to a caller without the permission, nor to a revoked key', async () => {
    const [customer, key] = await customerWithKey('finance-user')
    const managerKey = await addKey(customer, ['it-manager'])
    await get(key, LIST)
    await expect(get(managerKey, LIST)).resolves.toMatchObject({ status: 403 })
    await scope(owner(customer), (tx) => tx.execute('UPDATE api_keys SET revoked_at = now()'))
    await expect(get(key, LIST)).resolves.toMatchObject({ status: 401 })
  })

  it('is not kept while a change of the listed licenses is open', async () => {
    const [customer] = await customerWithKey('finance-user')
    const key = await addKey(customer, ['it-manager'])
    await addAsset(customer, 'office-suite-1', { purchased: 5 })
    const full = '/billing/v1/assets?view=full'
    const entry = async () => {
      await get(key, full)
      const found = cacheKey(listAssets.contract, await findKeyCaller(digestOf(key)), full)
      return found && readAnswer(found)
    }
    expect(await entry()).toBeDefined()
    await scope(owner(customer), (tx) =>
      tx.execute(`INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind,
          actor_id, actor_name, request_id)
        VALUES ('${customer}', gen_random_uuid()::text, 'office-suite-1', 5, 6, 'CLAIMED', 'key', 'k', 'k', 'r')`),
    )
    expect(await entry()).toBeUndefined()
  })
})

describe('the key of an answer', () => {
  const caller = (more: object) =>
    ({
      ...{ customerId: 'alder', via: 'key', id: 'k-1', roles: [], billingProfiles: [] },
      ...{ seenAt: { version: '1', now: 1 }, ...more },
    }) as unknown as Caller
  const contractOf = (...cachedBy: CachePart[]) => ({ name: 'listInvoices', cachedBy, showsLicenses: true })
  const nameOf = (parts: CachePart[], more: object, question = 'q') =>
    cacheKey(contractOf(...parts), caller(more), question)?.name

  it('differs for lists that are equal when they are joined', () => {
    const profiles = (...billingProfiles: string[]) => nameOf(['billingProfiles'], { billingProfiles })
    const lists = [['a b', 'c'], ['a', 'b c'], ['a', 'b', 'c'], ['a,b', 'c'], ['a","b', 'c'], ['abc'], []]
    expect(new Set(lists.map((list) => profiles(...list))).size).toBe(lists.length)
    expect(nameOf(['roles'], { roles: ['a'] }, 'q\nb')).not.toBe(
      nameOf(['roles'], { roles: ['b', 'a'] }, 'q'),
    )
  })

  it('differs for each member, and the operation is given no key’s id', async () => {
    const whoami = contract({
      ...{ name: 'listViews', method: 'GET', path: '/billing/v1/views', summary: '', description: '' },
      ...{ permission: 'any', cachedBy: ['member'], output: z.object({ via: z.string(), id: z.string() }) },
    } as never) as unknown as typeof listInvoices.contract
    const read = operation(whoami, (async ({ via, id }: Caller) => ({ body: { via, id } })) as never)
    const bodyFor = async (more: object) =>
      (await read(caller(more), { params: {}, query: {}, body: undefined } as never, { requestId: 'r' })).body
    const callers = [
      ...[{ id: 'k-1' }, { id: 'k-2' }, { via: 'session', id: 'm-1' }],
      ...[
        { via: 'session', id: 'm-2' },
        { via: 'session', id: 'k-1' },
      ],
    ]
    const bodies = []
    for (const one of [...callers, ...callers]) bodies.push(await bodyFor(one))
    const expected = callers.map(({ via = 'key', id }) => ({ via, id: via === 'key' ? '' : id }))
    expect(bodies).toEqual([...expected, ...expected])
  })

  it('of a page differs for each input, whose parts are plain, and repeats the version of the resource', async () => {
    const name = 'readInvoice'
    const echo = contract({
      ...{ name, method: 'GET', path: '/billing/v1/invoices', summary: '', description: '' },
      ...{ permission: 'any', cachedBy: [], output: z.object({ query: z.string() }) },
    } as never) as unknown as typeof listInvoices.contract
    const read = operation(echo, (async (_: unknown, { query }: { query: unknown }) => ({
      ...{ body: { query: String(query) }, version: `v-${query}` },
    })) as never)
    const send = (query: unknown) =>
      read(caller({}), { params: {}, query, body: undefined } as never, { requestId: 'r' })
    for (const query of ['a', 'b', 'a', 'b'])
      expect(await send(query)).toMatchObject({ body: { query }, version: `v-${query}` })
    for (const query of [new Set(['a']), new Map([['a', 1]]), Number.NaN])
      await expect(send(query)).rejects.toThrow('plain')
  })

  it('holds everything of a request that a cached call reads: it is a GET without headers, in JSON', async () => {
    const contracts = await cachedContracts()
    expect(contracts.length).toBeGreaterThan(10)
    for (const { name, method, headers, protocol, permission, responseHeaders } of contracts) {
      expect([name, method, Object.keys(headers.shape), protocol]).toEqual([name, 'GET', [], undefined])
      expect([
        name,
        permission === 'none',
        responseHeaders.filter((one) => one !== 'Content-Location'),
      ]).toEqual([name, false, []])
    }
  })
})

/** Returns the contracts of all cached calls. */
async function cachedContracts(): Promise<AnyContract[]> {
  const files = globSync('lib/*/*/contract.ts').filter((file) => file !== 'lib/platform/api/contract.ts')
  const all = await Promise.all(
    files.map(async (file) =>
      Object.values((await import(`../../../${file}`)) as Record<string, AnyContract>),
    ),
  )
  return all.flat().filter((one) => one?.path && one.cachedBy)
}

describe('the cache', () => {
  const entry = (name: string, customerId = 'alder', validFor = '1') => ({
    name,
    validFor,
    customerId,
    now: 1,
  })
  const sized = (bytes: number) => ({ body: Buffer.alloc(bytes), headers: {}, etag: '"e"' })
  const LARGE = 100 * 1024

  it('returns an answer for its version only', () => {
    storeAnswer(entry('a'), sized(10))
    expect(readAnswer(entry('a'))).toBeDefined()
    expect(readAnswer(entry('a', 'alder', '2'))).toBeUndefined()
  })

  it('gives one customer a quarter, and drops the least recently used answer', () => {
    for (const name of ['1', '2']) storeAnswer(entry(name), sized(LARGE))
    expect(readAnswer(entry('1'))).toBeDefined()
    storeAnswer(entry('3'), sized(LARGE))
    expect(['1', '2', '3'].map((name) => readAnswer(entry(name)) !== undefined)).toEqual([true, false, true])
  })

  it('never holds more than its limit, and no answer over 256 kB', () => {
    for (let index = 0; index < 50; index++) storeAnswer(entry('x', `customer-${index}`), sized(LARGE))
    expect(cacheStats().bytes).toBeLessThanOrEqual(1024 * 1024)
    expect(cacheStats().answers).toBeGreaterThan(5)
    storeAnswer(entry('large', 'birch'), sized(256 * 1024 + 1))
    expect(readAnswer(entry('large', 'birch'))).toBeUndefined()
  })

  it('keeps others where an answer is larger than the share of its customer', () => {
    storeAnswer(entry('small', 'cedar'), sized(10))
    storeAnswer(entry('large', 'cedar'), sized(256 * 1024))
    expect(readAnswer(entry('large', 'cedar'))).toBeUndefined()
    expect(readAnswer(entry('small', 'cedar'))).toBeDefined()
  })

  it('keeps alive no more memory than it counts: not the pool that Node cuts small buffers from', () => {
    const body = Buffer.from('{"id":"A-1"}')
    expect(body.buffer.byteLength).toBeGreaterThan(body.length)
    storeAnswer(entry('pooled', 'elm'), { body, headers: {}, etag: '"e"' })
    const saved = readAnswer(entry('pooled', 'elm'))?.body
    expect(saved).toEqual(body)
    expect(saved?.buffer.byteLength).toBe(body.length)
  })

  it('is empty where it is switched off', async () => {
    const [customer, key] = await customerWithKey('finance-user')
    vi.stubEnv('ANSWER_CACHE_MB', '0')
    expect(await isCached(customer, key)).toBe(false)
    vi.stubEnv('ANSWER_CACHE_MB', '1')
    expect(await isCached(customer, key)).toBe(true)
  })
})
