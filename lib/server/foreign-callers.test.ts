import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCharges } from '#lib/billing/charges/test-rows.ts'
import { methodOfScope } from '#lib/identity/access/factors/rules.ts'
import { cookieOf } from '#lib/identity/access/factors/test-person.ts'
import { newSigningSecret } from '#lib/notifications/webhooks/secrets.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addAsset,
  addCustomer,
  addInvoice,
  addKey,
  addMember,
  addProfile,
} from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { legible } from '#lib/platform/files/test-workbook.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { projectFiles } from '../../test/architecture/scan.ts'

// A customer's records are invisible to another one in every call: in lists and by id. Tested for every contract, once
// with all protection, and once with row-level security disabled in every table.

type Contract = { name: string; method: 'GET' | 'PATCH'; path: string; permission: string }

const [CALLER_CUSTOMER, OTHER] = ['own', 'foreign']
/**
 * Marker in each row of the other customer, as is the currency in its totals; it demands a second factor, hides prices,
 * and its member is mailed, has a password, and has chosen columns.
 */
const FOREIGN_MARKER = /foreign|[",>]ISK[",<]|"(isDemanded|areHidden|isOn|isOwn|password)":true/i

/**
 * Values for each path parameter: the other customer's, and one that does not exist. A contract with a new parameter
 * needs an entry here.
 */
const NAMED: Record<string, { other: string; nobodys: string }> = {
  asset_id: { other: 'workspace-suite-foreign', nobodys: 'workspace-suite-nobodys' },
  invoice_id: { other: 'FOREIGN-1', nobodys: 'NOBODYS-1' },
  billing_profile_id: { other: 'profile-foreign', nobodys: 'profile-nobodys' },
  change_id: { other: 'change-foreign', nobodys: 'change-nobodys' },
  key_id: { other: 'key-foreign', nobodys: 'key-nobodys' },
  factor_id: { other: 'factor-foreign', nobodys: 'factor-nobodys' },
  member_id: { other: 'member-foreign', nobodys: 'member-nobodys' },
  provider_id: { other: 'provider-foreign', nobodys: 'provider-nobodys' },
  domain: { other: 'foreign.example', nobodys: 'nobodys.example' },
  token_id: { other: 'token-foreign', nobodys: 'token-nobodys' },
  group_id: { other: 'group-foreign', nobodys: 'group-nobodys' },
  need_id: { other: 'past-due:ISK:default', nobodys: 'past-due:JPY:default' },
  view_id: { other: 'view-foreign', nobodys: 'view-nobodys' },
  recipient_id: { other: 'recipient-foreign', nobodys: 'recipient-nobodys' },
  webhook_id: { other: 'webhook-foreign', nobodys: 'webhook-nobodys' },
  delivery_id: { other: 'delivery-foreign', nobodys: 'delivery-nobodys' },
  session_id: { other: digestOf('session-foreign'), nobodys: digestOf('session-nobodys') },
}
const QUERIES: Record<string, string> = {
  compareInvoices: '?from={customer}-1&to={customer}-2',
  exportComparison: '?from={customer}-1&to={customer}-2',
  exportComparisonXlsx: '?from={customer}-1&to={customer}-2',
  explainMonth: '?month=2026-10',
  exportExplanation: '?month=2026-10',
  exportExplanationXlsx: '?month=2026-10',
  readBilledProducts: '?product=Usage',
  listKeys: '?whose=all',
  listMatches: '?search={customer}',
  listSessions: '?whose=all',
}
/** Operations for signed-in members, which reject keys. */
/** Operations on another member of the customer. */
const OF_COLLEAGUES = ['resetFactors']
const OF_MEMBERS = [
  'makeMemberLink',
  ...['readWays', 'listFactors', 'removeFactor'],
  ...['dismissNeed', 'restoreNeed', 'readNeedsMail', 'readRenewalFeed'],
  ...['dismissNeed', 'restoreNeed', 'readNeedsMail'],
  ...['changeView', 'removeView', 'readListColumns'],
  ...['changeIdentityProvider', 'removeIdentityProvider', 'checkSignOnDomain', 'removeSignOnDomain'],
  ...['revokeDirectoryToken', 'unmapDirectoryGroup'],
  ...['addNoticeRecipient', 'changeNoticeRecipient', 'resendConfirmation'],
  ...['changeWebhook', 'rotateWebhookSecret'],
]
const BODIES: Record<string, string> = {
  setQuantity: '{"quantity":11}',
  orderRenewal: '{"quantity":9}',
  renameKey: '{"name":"renamed"}',
  changeMember: '{"name":"renamed"}',
  setProfilePosting: '{"purchaseOrder":"PO-1"}',
  setAssetPosting: '{"costCenter":"4711"}',
  changeView: '{"isPinned":true}',
  dismissNeed: '{"version":"00000000000000000000000000000000"}',
  changeIdentityProvider: '{"joinRoles":null}',
  addNoticeRecipient: '{"email":"new@foreign.example","notices":["new"]}',
  changeNoticeRecipient: '{"notices":["due"]}',
  changeWebhook: '{"name":"renamed"}',
}

let database: TestDatabase
const keys: Record<string, string> = {}
const cookies: Record<string, string> = {}
const colleagues: Record<string, string> = {}

/** Adds records that only the other customer has: an invoice that is past due, a calendar link, and mails. */
async function addOthers(member: string) {
  const names = { issuer: OTHER.toUpperCase(), currency: 'ISK' }
  const due = { invoiceDate: '2026-01-31', dueDate: '2026-02-28' }
  await addInvoice(OTHER, `${OTHER.toUpperCase()}-0`, { ...names, ...due })
  await database.sql(
    OTHER,
    `INSERT INTO calendar_feeds (customer_id, member_id, digest, last_four) VALUES ($1, $2, 'none', 'foreign')`,
    [OTHER, member],
  )
  const [its] = await database.sql(OTHER, 'SELECT email FROM members WHERE id = $1', [member])
  await database.sql(
    OTHER,
    `INSERT INTO notice_recipients (customer_id, id, email, needs_since) VALUES ($1, 'told', $2, now())`,
    [OTHER, its?.email],
  )
  await addAddresses(member)
}

/** Adds an address that gets notices, one that has to confirm them, and a webhook with a delivery. */
async function addAddresses(member: string) {
  await database.sql(
    OTHER,
    `INSERT INTO notice_recipients (customer_id, id, email) VALUES ($1, 'recipient-foreign', 'books@foreign.example')`,
    [OTHER],
  )
  await database.sql(
    OTHER,
    `INSERT INTO notice_confirmations (customer_id, id, recipient_id, billing_profile_id, kinds, attaches_pdf,
       requested_by, expires_at)
     VALUES ($1, 'confirmation-foreign', 'recipient-foreign', 'profile-foreign', '{new}', false, $2,
       now() + interval '7 days')`,
    [OTHER, member],
  )
  const { sealed } = newSigningSecret(OTHER as CustomerId, 'webhook-foreign')
  await database.sql(
    OTHER,
    `INSERT INTO webhook_endpoints (customer_id, id, name, url, owner_id, secret)
     VALUES ($1, 'webhook-foreign', 'Foreign', 'https://hooks.foreign.example', $2, $3)`,
    [OTHER, member, sealed],
  )
  await database.sql(
    OTHER,
    `INSERT INTO outbox (customer_id, id, kind, recipient, content, state, attempts, ended_at)
     VALUES ($1, 'delivery-foreign', 'webhook', 'webhook-foreign', $2, 'SENT', 1, now())`,
    [OTHER, JSON.stringify({ event: 'event-foreign', kind: 'member.changed', ids: { memberId: member } })],
  )
}

beforeAll(async () => {
  database = await testDatabase()
  for (const customer of [CALLER_CUSTOMER, OTHER]) {
    await addCustomer(customer)
    await addProfile(customer, `profile-${customer}`)
    keys[customer] = await addKey(customer, ['admin'])
    const upper = customer.toUpperCase()
    const names = { issuer: upper, currency: customer === CALLER_CUSTOMER ? 'USD' : 'ISK' }
    await addAsset(customer, `workspace-suite-${customer}`, { purchased: 10 })
    const commitmentEnd = new Date(Date.now() + 86_400_000)
    await addAsset(customer, `office-suite-${customer}`, {
      purchased: 10,
      isCommitmentPlan: true,
      commitmentEnd,
    })
    await addAsset(customer, `${customer}-things-1`, null)
    await addInvoice(customer, `${upper}-1`, names)
    await addInvoice(customer, `${upper}-2`, { ...names, totalAmount: '11.00' })
    await database.sql(
      customer,
      `INSERT INTO payments (customer_id, id, kind, paid_on, amount, currency, reference, payer, entered_by)
       VALUES ($1, $2, 'payment', (now() AT TIME ZONE 'UTC')::date, 5, $3, $2, $2, 'Operator')`,
      [customer, `payment-${customer}`, names.currency],
    )
    await database.sql(
      customer,
      `INSERT INTO payment_entries (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
       VALUES ($1, $2, 1, $3, 2, (now() AT TIME ZONE 'UTC')::date, 'applied'),
         ($1, $2, 2, NULL, 3, (now() AT TIME ZONE 'UTC')::date, 'applied')`,
      [customer, `payment-${customer}`, `${upper}-1`],
    )
    await addCharges(customer, { ...names, number: `${upper}-1` }, [
      { cost: '10', service: `Compute of ${customer}`, tags: { team: customer } },
    ])
    await addKey(customer, ['admin'], { id: `key-${customer}`, name: `${customer} ERP` })
    const passwordHash = customer === OTHER ? 'of some password' : null
    const member = await addMember(customer, { id: `member-${customer}`, roles: ['admin'], passwordHash })
    const colleague = await addMember(customer, { roles: ['admin'], email: `colleague@${customer}.example` })
    await addSession(customer, colleague, { sid: `session-${customer}` })
    await database.sql(
      customer,
      'UPDATE customers SET demands_factor = $1, hides_prices = $1 WHERE id = $2',
      [customer === OTHER, customer],
    )
    colleagues[customer] = await cookieOf(await addSession(customer, colleague))
    if (customer === OTHER) await addOthers(member)
    const methods = ['password', methodOfScope(customer)]
    cookies[customer] = await cookieOf(
      await addSession(customer, member, { proof: 'of a password', proven: methods }),
    )
    for (const [id, kind] of [
      [`factor-${customer}`, 'passkey'],
      [`app-${customer}`, 'totp'],
    ])
      await database.sql(
        customer,
        `INSERT INTO second_factors (id, person_id, reach, kind, name, secret, credential, public_key, counter)
         SELECT $2, person_id, $1, $3, 'Mine', 'sealed', $2, 'key', 0 FROM members WHERE id = $4`,
        [customer, id, kind, member],
      )
    await database.sql(
      customer,
      `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
         actor_name, request_id, settled_at)
       VALUES ($1, $2, $3, 9, 10, 'APPLIED', 'key', 'K1', 'joiners-sync', 'r', now())`,
      [customer, `change-${customer}`, `workspace-suite-${customer}`],
    )
    for (const id of [`provider-${customer}`, `provider-of-domain-${customer}`])
      await database.sql(
        customer,
        `INSERT INTO identity_providers (customer_id, id, name, issuer, client_id, client_secret, scopes)
         VALUES ($1, $2, $2, 'https://login.example', 'console', 'sealed', '{openid}')`,
        [customer, id],
      )
    await database.sql(
      customer,
      `INSERT INTO sign_on_domains (customer_id, domain, provider_id, token, proven_at, proven_by)
       VALUES ($1, $2, $3, 'token', now(), 'operator')`,
      [customer, `${customer}.example`, `provider-of-domain-${customer}`],
    )
    await database.sql(
      customer,
      `INSERT INTO scim_tokens (customer_id, id, name, digest, last_four, roles) VALUES ($1, $2, $2, $2, 'abcd', '{}')`,
      [customer, `token-${customer}`],
    )
    await database.sql(
      customer,
      `INSERT INTO scim_groups (customer_id, id, display_name, roles) VALUES ($1, $2, $2, '{it-manager}')`,
      [customer, `group-${customer}`],
    )
    await database.sql(
      customer,
      `INSERT INTO saved_views (customer_id, id, member_id, name, path, query, is_pinned, position)
       VALUES ($1, $2, NULL, $2, '/assets', '', true, 0)`,
      [customer, `view-${customer}`],
    )
    if (customer === OTHER)
      await database.sql(
        customer,
        "INSERT INTO list_columns (customer_id, member_id, list, columns) VALUES ($1, $2, 'assets', '{name}')",
        [customer, member],
      )
    const event = { action: 'thing.done', subject: customer, actor: OPERATOR, requestId: 'r' }
    const customerId = customer as CustomerId
    await scope({ customerId }, (tx) => recordAudit(tx, customerId, event))
  }
})
afterAll(() => database.close())

const isRemoval = ({ name }: Contract) => ['removeNoticeRecipient', 'removeWebhook'].includes(name)
const contracts = await allContracts()
// Removals come last: the other calls need the records.
const named = contracts
  .filter(({ path }) => path.includes('{'))
  .sort((one, other) => Number(isRemoval(one)) - Number(isRemoval(other)))
const lists = contracts.filter(({ path, method }) => !path.includes('{') && method === 'GET')

test('each path parameter has its case', () => {
  const parts = named.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part ?? ''))
  expect([...new Set(parts)].sort()).toEqual(Object.keys(NAMED).sort())
  expect(lists.length).toBeGreaterThan(10)
})

describe('both protections', () => collectRequests())

describe('the statements without row-level security', () => {
  beforeAll(() => eachTable((table) => `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`))
  afterAll(() => eachTable((table) => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`))
  collectRequests()
  test('row-level security was really disabled', async () => {
    const { length } = await database.sql(CALLER_CUSTOMER, 'SELECT FROM invoices')
    expect(length).toBe(5)
  })
})

test('row-level security restricts a statement without a customer filter to one customer, in each table', async () => {
  let seen = 0
  for (const table of await tables()) {
    const rows = await database
      .sql(CALLER_CUSTOMER, `SELECT DISTINCT customer_id AS id FROM ${table}`)
      .catch((error) => (error.code === '42501' ? [] : Promise.reject(error)))
    expect([table, rows.filter(({ id }) => id !== CALLER_CUSTOMER)]).toEqual([table, []])
    seen += rows.length
  }
  expect(seen).toBeGreaterThan(10)
})

test('the owner finds each of these records unchanged', async () => {
  for (const contract of named) {
    const { status, body } = await answer(contract, 'other', OTHER)
    // Some return nothing for the request, but the record exists.
    expect([contract.name, status === 404 || status >= 500, body.length > 0]).toEqual([
      contract.name,
      false,
      true,
    ])
    if (contract.name === 'readAsset') expect(body).toContain('"NumberOfSeats":10')
    if (['endSession', 'removeFactor', 'resetFactors'].includes(contract.name)) expect(status).toBe(200)
  }
})

/**
 * Collects the other customer's own responses, which show that each case can fail, and the customer's responses to the
 * same requests.
 */
function collectRequests(): void {
  test.each(lists)('$name returns nothing of another customer', async (contract) => {
    const theirs = await answer(contract, 'other', OTHER)
    expect([theirs.status, theirs.body]).toEqual([200, expect.stringMatching(FOREIGN_MARKER)])
    const ours = await answer(contract, 'other', CALLER_CUSTOMER)
    expect([ours.status, ours.body]).toEqual([200, expect.not.stringMatching(FOREIGN_MARKER)])
  })

  test.each(named)(
    '$name answers the same for another customer’s record and an unknown one',
    async (contract) => {
      const nobodys = await answer(contract, 'nobodys', CALLER_CUSTOMER)
      expect(nobodys.status).toBe(404)
      expect(await answer(contract, 'other', CALLER_CUSTOMER)).toEqual(nobodys)
    },
  )
}

/** Returns the response to a customer's Admin, with a constant request id. */
async function answer(contract: Contract, which: 'other' | 'nobodys', customer: string) {
  const { name, method, path } = contract
  const handlers = await import(
    /* @vite-ignore */ `../../app${path.replaceAll('{', '[').replaceAll('}', ']')}/route.ts`
  )
  const target = path.replace(/\{(\w+)\}/g, (_, part) => encodeURIComponent(NAMED[part]?.[which] ?? ''))
  const query = (QUERIES[name] ?? '').replaceAll('{customer}', customer.toUpperCase())
  const request = new Request(`http://console.example${target}${query}`, {
    method,
    headers: {
      ...([...OF_MEMBERS, ...OF_COLLEAGUES].includes(name)
        ? {
            Cookie: (OF_MEMBERS.includes(name) ? cookies : colleagues)[customer] ?? '',
            'Sec-Fetch-Site': 'same-origin',
          }
        : { Authorization: `Bearer ${keys[customer]}` }),
      'Content-Type': 'application/json',
      'Request-Id': 'always-the-same',
    },
    ...(method === 'GET' ? {} : { body: BODIES[name] ?? '{}' }),
  })
  const response: Response = await handlers[method](request)
  const { ratelimit: _, ...headers } = Object.fromEntries(response.headers)
  const body = legible(await response.arrayBuffer(), response.headers.get('content-type'))
  return { status: response.status, headers, body }
}

/** Returns all contracts of callers, except for those that change something without a parameter. */
async function allContracts(): Promise<Contract[]> {
  const files = projectFiles('lib').filter((file) => /^lib\/[^/]+\/[^/]+\/contract\.ts$/.test(file))
  const modules: object[] = await Promise.all(files.map((file) => import(/* @vite-ignore */ `../../${file}`)))
  const exported = modules.flatMap((module) => Object.values(module) as (Contract | undefined)[])
  // Contracts of SCIM are covered by lib/identity/scim/tenant-isolation.test.ts.
  const isTested = (one?: Contract) =>
    one?.path && one.permission !== 'none' && !one.path.startsWith('/scim/')
  return exported.filter(isTested) as Contract[]
}

/** Returns the tables with rows of customers. */
async function tables(): Promise<string[]> {
  const rows = await database.sql(
    CALLER_CUSTOMER,
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'customer_id'
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1`,
  )
  return rows.map(({ name }) => String(name))
}

async function eachTable(queryFor: (table: string) => string): Promise<void> {
  const all = await tables()
  await run(database.url, ...all.map(queryFor))
}
