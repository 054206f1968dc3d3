import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cookieOf } from '#lib/identity/access/factors/test-person.ts'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { pendingCookie } from '#lib/identity/access/sign-ins/pending.ts'
import { setSignOnOnly } from '#lib/identity/access/sign-on/providers.ts'
import { Browser, goThrough, setUp } from '#lib/identity/access/sign-on/test-browser.ts'
import { signInFrom } from '#lib/identity/access/test-sign-in.ts'
import { type CustomerId, may, type Permission, ROLES } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { type HostileIssuer, startHostile } from '../../test/fakes/issuers/hostile.ts'

// Each published operation, called by a member of a customer with mandatory single sign-on, and by one whose second
// factor is still pending: the first gets the same response as any member with the same roles, and the second that of a
// caller without credentials.

type Published = { name: string; method: string; path: string; permission: Permission | 'any' | 'none' }
type Headers = Record<string, string>

const PASSWORD = 'correct horse battery'
const [alder, plain] = ['alder', 'plain'] as CustomerId[] as [CustomerId, CustomerId]
let database: TestDatabase
let issuer: HostileIssuer
/** Headers by role: at the customer with mandatory single sign-on, and at one with passwords. */
const bySignOn = new Map<string, Headers>()
const byPassword = new Map<string, Headers>()
let pending: Headers = {}

const published = await publishedContracts()

beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, plain]) await addCustomer(id)
  issuer = await startHostile()
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(issuer.issuer).host)
  const providerId = await setUp(alder, 'alder.example', { issuer: issuer.issuer })
  const passwordHash = await hashPassword(PASSWORD)
  for (const role of ROLES) {
    const email = `${role}@alder.example`
    await addMember(alder, { roles: [role], email, passwordHash })
    const browser = new Browser()
    issuer.lie = { claims: { sub: role, email } }
    expect(await goThrough(browser, { email, providerId })).toBe('/')
    bySignOn.set(role, browser.headers)
    const member = await addMember(plain, { roles: [role], email: `${role}@plain.example`, passwordHash })
    const sid = await addSession(plain, member)
    byPassword.set(role, { cookie: await cookieOf(sid), 'sec-fetch-site': 'same-origin' })
  }
  await scope({ customerId: alder }, (tx) => setSignOnOnly(tx, alder, true))
  pending = await pendingHeaders()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await issuer.close()
  await database.close()
})

/** Returns the headers of a member who has verified their password but not their second factor. */
async function pendingHeaders(): Promise<Headers> {
  const { addPending } = await import('#lib/identity/access/sign-ins/pending.ts')
  const rows = await database.sql(
    plain,
    "SELECT id, person_id FROM members WHERE email = 'admin@plain.example'",
  )
  const [{ person_id: personId }] = rows as [{ person_id: string }]
  await database.sql(
    plain,
    `INSERT INTO second_factors (person_id, reach, kind, name, secret) VALUES ($1, NULL, 'totp', 'App', 'sealed')`,
    [personId],
  )
  const id = await addPending({ personId, proof: 'of a password', proven: ['password'] })
  const [cookie = ''] = pendingCookie(id).split(';')
  return { cookie, 'sec-fetch-site': 'same-origin' }
}

test('the cases cover the whole published API', () => {
  expect(published.length).toBeGreaterThan(50)
})

/** Permissions that an operation needs in addition to its contract's. */
const ALSO: Record<string, readonly Permission[]> = { setAssetPosting: ['licenses-manager'] }

describe.each(published)('$name', (contract) => {
  test('answers a caller with a pending second factor like one without credentials', async () => {
    const answer = await send(contract, pending)
    expect(answer).toEqual(await send(contract, { 'sec-fetch-site': 'same-origin' }))
    expect(answer.status).toBe(contract.permission === 'none' ? 200 : 401)
  })

  test.each(ROLES)('answers a member with mandatory single sign-on, %s, like any other', async (role) => {
    const [signOnAnswers, other] = [bySignOn.get(role) ?? {}, byPassword.get(role) ?? {}]
    const { status, code } = await send(contract, signOnAnswers)
    expect([status, code]).toEqual([(await send(contract, other)).status, (await send(contract, other)).code])
    const { permission } = contract
    if (permission !== 'any' && permission !== 'none')
      expect(code === 'permission_denied').toBe(
        ![permission, ...(ALSO[contract.name] ?? [])].every((one) => may({ roles: [role] }, one)),
      )
    expect(status).not.toBe(401)
  })
})

test('a password does not open the customer with mandatory single sign-on', async () => {
  for (const role of ROLES)
    expect(await signInFrom({ email: `${role}@alder.example`, password: PASSWORD })).toBeNull()
})

/** Calls an operation for an unknown record with an empty body: the response depends on the caller only. */
async function send({ method, path }: Published, headers: Headers) {
  const file = `../../app${path.replaceAll('{', '[').replaceAll('}', ']')}/route.ts`
  const handlers = await import(/* @vite-ignore */ file)
  const request = new Request(`http://console.example${path.replaceAll(/\{\w+\}/g, 'nobodys')}`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json', 'Request-Id': 'always-the-same' },
    ...(method === 'GET' ? {} : { body: '{}' }),
  })
  const response: Response = await handlers[method](request)
  const isJson = response.headers.get('content-type')?.includes('json')
  const text = await response.text()
  return { status: response.status, code: isJson ? (JSON.parse(text) as { code?: string }).code : undefined }
}

async function publishedContracts(): Promise<Published[]> {
  const { GET } = await import('../../app/billing/v1/openapi.json/route.ts')
  const { paths } = await (await GET(new Request('http://console.example/billing/v1/openapi.json'))).json()
  const { globSync } = await import('node:fs')
  const contracts: Published[] = []
  for (const file of globSync('lib/*/*/contract.ts').filter(
    (name) => name !== 'lib/platform/api/contract.ts',
  )) {
    const exported: object = await import(/* @vite-ignore */ `../../${file}`)
    const all = Object.values(exported) as (Published | undefined)[]
    contracts.push(...all.flatMap((one) => (one?.path && one.path in paths ? [one] : [])))
  }
  return contracts
}
