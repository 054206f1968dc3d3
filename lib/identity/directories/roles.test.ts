import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signedIn, withKey } from '#lib/identity/keys/test-calls.ts'
import * as factors from '#lib/identity/second-factors/operations.ts'
import * as signOn from '#lib/identity/single-sign-on/operations.ts'
import { callApi } from '#lib/identity/single-sign-on/test-calls.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import * as operations from './operations.ts'

// Permissions to read and change the sign-in methods: single sign-on, directories, and mandatory second factors.

type Headers = Record<string, string>
let database: TestDatabase
const callers = new Map<string, Headers>()
let made = 0
beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['own', 'other']) await addCustomer(id)
  callers.set('nobody', {})
  for (const role of ['it-manager', 'finance-user', 'admin'] as const) {
    const member = await addMember('own', { roles: [role] })
    callers.set(`${role}, signed in`, await signedIn('own', member))
    callers.set(`${role}, signed in long ago`, await signedIn('own', member, 11))
    callers.set(`${role}, by key`, await withKey('own', [role]))
  }
  const limited = await addMember('own', { roles: ['admin'], billingProfiles: ['default'] })
  callers.set('admin of one billing profile, signed in', await signedIn('own', limited))
  const theirs = await addMember('other', { roles: ['admin'] })
  callers.set('Admin of another customer', await signedIn('other', theirs))
})
afterAll(() => database.close())

const OTHERS = '403 403 | 403 403 403 403 403 403 403 | 403 403 403 403 | 403'
/**
 * Statuses per caller: read both; change and remove a provider; add, check and remove a domain; add a provider;
 * passwords; token and group; demand.
 */
const MATRIX: Record<string, string> = {
  nobody: OTHERS.replaceAll('403', '401'),
  'it-manager, signed in': OTHERS,
  'it-manager, signed in long ago': OTHERS,
  'it-manager, by key': OTHERS,
  'finance-user, signed in': OTHERS,
  'finance-user, signed in long ago': OTHERS,
  'finance-user, by key': OTHERS,
  // No issuer answers, and this Admin has not signed in by one.
  'admin, signed in': '200 200 | 200 200 200 200 422 200 409 | 200 200 200 200 | 200',
  'admin, signed in long ago': OTHERS.replace('403 403', '200 200'),
  'admin, by key': OTHERS.replace('403 403', '200 200'),
  'admin of one billing profile, signed in': '200 200 | 403 403 403 403 403 403 403 | 403 403 403 403 | 403',
  'Admin of another customer': '200 200 | 404 404 400 404 422 404 409 | 200 404 200 404 | 200',
}

describe.each(Object.entries(MATRIX))('%s', (name, expected) => {
  it(`returns ${expected}`, async () => {
    const headers = callers.get(name)
    if (!headers) throw new Error(`Nobody is ${name}.`)
    const [id, domain] = [`provider-${++made}`, `domain${made}.example`]
    await database.sql(
      'own',
      `INSERT INTO identity_providers (customer_id, id, name, issuer, client_id, client_secret, scopes)
       VALUES ('own', $1, $1, 'https://login.example', 'console', 'sealed', '{openid}'),
         ('own', $1 || '-kept', $1 || '-kept', 'https://login.example', 'console', 'sealed', '{openid}')`,
      [id],
    )
    await database.sql(
      'own',
      `INSERT INTO sign_on_domains (customer_id, domain, provider_id, token, proven_at, proven_by)
       VALUES ('own', $1, $2, 'token', now(), 'operator')`,
      [domain, `${id}-kept`],
    )
    await database.sql(
      'own',
      `INSERT INTO scim_tokens (customer_id, id, name, digest, last_four, roles) VALUES ('own', $1, 'T', $1, 'abcd', '{}')`,
      [`token-${id}`],
    )
    await database.sql(
      'own',
      "INSERT INTO scim_groups (customer_id, id, display_name, roles) VALUES ('own', $1, $1, '{it-manager}')",
      [`group-${id}`],
    )
    const provider = { provider_id: id }
    const calls = [
      [[signOn.readSignOn], [operations.readDirectory]],
      [
        [signOn.changeIdentityProvider, { joinRoles: null }, provider],
        [signOn.removeIdentityProvider, {}, provider],
        [signOn.addSignOnDomain, { domain: `new${domain}`, providerId: `${id}-kept` }],
        [signOn.checkSignOnDomain, {}, { domain }],
        [signOn.addIdentityProvider, { name: 'N', issuer: 'http://x', clientId: 'c', clientSecret: 's' }],
        [signOn.removeSignOnDomain, {}, { domain }],
        [signOn.setPasswordSignIn, { allowed: false }],
      ],
      [
        [operations.issueDirectoryToken, { name: 'Entra ID' }],
        [operations.revokeDirectoryToken, {}, { token_id: `token-${id}` }],
        [operations.mapDirectoryGroup, { name: `Group ${made}`, roles: ['it-manager'] }],
        [operations.unmapDirectoryGroup, {}, { group_id: `group-${id}` }],
      ],
      [[factors.demandFactor, { isDemanded: false }]],
    ] as const
    const statuses = []
    for (const part of calls) {
      const answers = []
      for (const [operation, body, params] of part)
        answers.push(
          (await callApi(operation as never, { headers, body, ...(params ? { params } : {}) })).status,
        )
      statuses.push(answers.join(' '))
    }
    expect(statuses.join(' | ')).toBe(expected)
  })
})

it('the matrix covers exactly these callers', () => {
  expect([...callers.keys()].sort()).toEqual(Object.keys(MATRIX).sort())
})
