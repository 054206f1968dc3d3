import { globSync } from 'node:fs'
import fc from 'fast-check'
import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { cookieName } from '#lib/platform/caller/cookies.ts'
import { sessionSecret } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { XLSX } from '#lib/platform/files/workbook.ts'
import { registerLeaks } from '#lib/server/leaks.ts'
import { DEEP } from '../../../test/fakes/deep.ts'
import type { AnyContract } from './contract.ts'
import { EXAMPLE_REQUEST, type Example } from './openapi/example.ts'
import { MEMBERS } from './problem-members.ts'
import { type Answered, type Document, undeclared } from './test-declared.ts'
import { addExamples } from './test-examples.ts'
import { withStableValues } from './test-stable-values.ts'
import { BODIES, VALUES } from './test-values.ts'

// Compares the API's description with the answers of the routes: each example is sent and compared, and no answer to an
// arbitrary call may have a member that the description does not declare.

type Handlers = Record<string, (request: Request) => Promise<Response>>
type ExampleRequest = Omit<Example, 'name' | 'summary' | 'answer' | 'by'> & {
  key?: string | undefined
  method?: string
}

/** First bytes of files by media type. */
const BINARY: Record<string, string> = {
  'application/pdf': '%PDF-',
  'application/zip': 'PK\u0003\u0004',
  [XLSX]: 'PK\u0003\u0004',
}
/** Days past due in a row of the statement, which grow from day to day. */
const AGED = /(,older,)\d+(?=,)/g
const EXAMPLE_AGE_DAYS = 388
/** Problems without an example, because they need another caller or another subscription. */
const UNSHOWN = ['permission_denied', 'subscription_not_active']

/** Operations that succeed only where another organization's server answers. */
const OF_OTHERS = ['addIdentityProvider']

let database: TestDatabase
let document: Document
const contracts: AnyContract[] = []
const handlers = new Map<string, Handlers>()
const keys = { admin: '', it: '', finance: '', none: '', unknown: `lic_${'a'.repeat(36)}` }

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example.com')
  for (const name of ['VENDOR_READ_MS', 'VENDOR_WRITE_MS']) vi.stubEnv(name, '50')
  const { GET } = (await import('../../../app/billing/v1/openapi.json/route.ts')) as Handlers
  document = await (await GET?.(new Request('https://console.example.com/billing/v1/openapi.json')))?.json()
  await loadContracts()
  database = await testDatabase()
  Object.assign(keys, await addExamples(database))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

describe('every example', () => {
  // Lists of sessions come first, before members sign in for their own examples.
  const rank = ({ method, examples }: AnyContract) =>
    method !== 'GET' ? 2 : Number(examples.some(({ by }) => by === 'session'))
  const sorted = () => contracts.toSorted((a, b) => rank(a) - rank(b))

  it('gets its documented answer, with declared members only', async () => {
    const codes = new Set<unknown>()
    // Examples that change data are last.
    for (const contract of sorted()) {
      for (const example of contract.examples) {
        const headers = { ...example.headers, 'request-id': EXAMPLE_REQUEST }
        const answer = await send(contract, { ...example, headers, ...(await callerOf(example)) })
        const name = `${contract.name}: ${example.name}`
        const body = read(answer)
        codes.add((body as { code?: string } | undefined)?.code)
        expect
          .soft([name, answer.status, body])
          .toEqual([name, example.answer.status, withStableValues(example, body)])
        expect.soft([name, ...undeclared(document, contract.method, contract.path, answer)]).toEqual([name])
      }
    }
    expect([...codes]).toEqual(
      expect.arrayContaining(Object.keys(MEMBERS).filter((code) => !UNSHOWN.includes(code))),
    )
  })

  it('exists for each call, and a successful one unless the call needs an external server', () => {
    const without = contracts.filter(({ examples }) => examples.length === 0)
    expect(without.map(({ name }) => name)).toEqual([])
    const withoutExample = contracts.filter(({ examples }) =>
      examples.every(({ answer }) => answer.status !== 200),
    )
    expect(withoutExample.map(({ name }) => name)).toEqual(OF_OTHERS)
  })
})

describe('arbitrary calls', () => {
  it('never answer undeclared members', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(calls(), async ({ name, ...request }) => {
        const contract = contractNamed(name)
        const answer = await send(contract, request)
        seen.add(`${answer.status}`)
        expect(undeclared(document, contract.method, contract.path, answer)).toEqual([])
      }),
      { numRuns: DEEP ? 400 : 250 },
    )
    for (const status of ['200', '400', '401', '403', '404', '405']) expect(seen).toContain(status)
  })

  it('an undeclared member is detected', async () => {
    const [contract, path] = [contractNamed('setQuantity'), '/billing/v1/assets/{asset_id}']
    const request = { params: { asset_id: 'workspace-suite-5d20a7' }, body: { quantity: 1 }, key: keys.it }
    const answer = await send(contract, request)
    const body = JSON.parse(answer.text)
    const violations = (overrides: Partial<Answered>) =>
      undeclared(document, 'PATCH', path, { ...answer, ...overrides })
    const withBody = (more: object) => violations({ text: JSON.stringify({ ...body, ...more }) })
    expect([answer.status, ...violations({})]).toEqual([409])
    expect(withBody({ vendorToken: 'x' })).toEqual([expect.stringContaining('vendorToken')])
    // A member of another code, and a missing one.
    expect(withBody({ subscriptionStatus: 'ACTIVE' })).toHaveLength(1)
    expect(withBody({ minimum: undefined })).toHaveLength(1)
    expect(withBody({ errors: [{ detail: 'x', stack: 'at …' }] })).toHaveLength(1)
    expect(withBody({ code: 'not_comparable' })).toHaveLength(1)
    expect(violations({ status: 418 })).toEqual(['status 418'])
    expect(
      violations({ headers: new Headers({ ...Object.fromEntries(answer.headers), 'X-Sql': '1' }) }),
    ).toEqual(['header x-sql'])
    expect(violations({ headers: new Headers({ 'Content-Type': 'application/problem+json' }) })).toContain(
      'no header request-id',
    )
  })
})

/**
 * Returns an arbitrary of calls to all contracts: valid and invalid, for existing and missing resources, by all kinds
 * of callers.
 */
function calls(): fc.Arbitrary<ExampleRequest & { name: string }> {
  const valuesOf = (name: string) => fc.constantFrom(...(VALUES[name] ?? ['', '1', 'true']))
  const any = (name: string) => fc.oneof({ weight: 4, arbitrary: valuesOf(name) }, fc.string())
  const some = (shape: object, value: typeof valuesOf, isOptional: boolean) => {
    const fields = Object.fromEntries(Object.keys(shape).map((name) => [name, value(name)]))
    return fc.record(fields, { requiredKeys: isOptional ? [] : Object.keys(shape) })
  }
  const requestOf = ({ name, method, params, query, headers }: AnyContract) => {
    const hasBody = method !== 'GET'
    return fc.record({
      name: fc.constant(name),
      method: fc.constantFrom(method as string, method, method, 'POST', ...(hasBody ? [] : ['HEAD'])),
      key: fc.oneof(fc.constant(keys.admin), fc.constantFrom(undefined, ...Object.values(keys))),
      params: some(params.shape, any, false),
      query: some({ ...query.shape, unknown: '' }, any, true),
      headers: some({ ...headers.shape, 'if-none-match': '' }, valuesOf, true),
      body: hasBody ? fc.oneof(fc.constantFrom(...BODIES), fc.jsonValue()) : fc.constant(undefined),
    })
  }
  return fc.constantFrom(...contracts).chain(requestOf) as fc.Arbitrary<ExampleRequest & { name: string }>
}

function contractNamed(name: string): AnyContract {
  const contract = contracts.find((contract) => contract.name === name)
  if (!contract) throw new Error(`No contract is named ${name}.`)
  return contract
}

/**
 * Decodes an answer. The days past due in a CSV file are replaced by the example's; a binary file is checked only by
 * the first bytes of its media type.
 */
function read({ text, headers }: Answered): unknown {
  const mediaType = headers.get('content-type')?.split(';')[0] ?? ''
  if (mediaType.endsWith('json')) return JSON.parse(text)
  const start = BINARY[mediaType]
  if (start === undefined) return text.replace(AGED, `$1${EXAMPLE_AGE_DAYS}`)
  expect(text.slice(0, start.length)).toBe(start)
  return undefined
}

/** Returns the credentials of an example: the Admin's key, or a member who signs in just before. */
async function callerOf({ by, headers }: Example): Promise<Pick<ExampleRequest, 'key' | 'headers'>> {
  if (by !== 'session') return { key: keys.admin }
  const token = { sid: await addSession('northwind', 'm-ana') }
  const cookie = `${cookieName('session')}=${await encode({ token, secret: sessionSecret() })}`
  return {
    headers: { ...headers, cookie, 'sec-fetch-site': 'same-origin', 'request-id': EXAMPLE_REQUEST },
  }
}

async function send(contract: AnyContract, sent: ExampleRequest): Promise<Answered> {
  const { params = {}, query = {}, headers = {}, body, key, method = contract.method } = sent
  const path = contract.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const text = body === undefined ? undefined : JSON.stringify(body)
  const request = new Request(`https://console.example.com${path}?${search}`, {
    method,
    headers: {
      ...(key ? { Authorization: `Bearer ${key}` } : {}),
      ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
  })
  const response = await handlers.get(contract.path)?.[method]?.(request)
  if (!response) throw new Error(`Nothing answers ${method} ${contract.path}.`)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function loadContracts() {
  registerLeaks()
  for (const file of globSync('lib/*/*/contract.ts').filter(
    (name) => name !== 'lib/platform/api/contract.ts',
  )) {
    const exported: Record<string, AnyContract> = await import(/* @vite-ignore */ `../../../${file}`)
    contracts.push(...Object.values(exported).filter(({ path }) => path in document.paths))
  }
  for (const { path } of contracts) {
    const folder = path.replaceAll('{', '[').replaceAll('}', ']')
    handlers.set(path, await import(/* @vite-ignore */ `../../../app${folder}/route.ts`))
  }
}
