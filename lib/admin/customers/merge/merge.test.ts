import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCharges } from '#lib/billing/charges/test-rows.ts'
import { holdersOf } from '#lib/licenses/vendor-passes/holders.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { findSessionCaller } from '#lib/platform/caller/session.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { differences, withoutTriggers } from '#lib/platform/caller/test-differences.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addAsset,
  addCustomer,
  addInvoice,
  addKey,
  addMember,
  addProfile,
} from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { verifyChain } from '#lib/platform/history/verify.ts'
import { commandLine } from '../../test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-merging-'))
let db: TestDatabase
const { admin } = commandLine(() => db.url, folder)
const keys: Record<string, string> = {}
let session = ''

beforeAll(async () => {
  db = await testDatabase()
  for (const id of ['moonbird', 'sunbird']) await addCustomer(id)
  await addProfile('moonbird', 'emea')
  await addMember('moonbird', {
    id: 'mia',
    roles: ['admin'],
    email: 'mia@moonbird.example',
    passwordHash: 'hash',
  })
  await addMember('moonbird', {
    id: 'eve',
    roles: ['finance-user'],
    email: 'eve@moonbird.example',
    billingProfiles: ['emea'],
  })
  await addMember('moonbird', {
    id: 'old',
    roles: ['it-manager'],
    email: 'old@moonbird.example',
    disabledAt: new Date(),
  })
  await addMember('moonbird', { id: 'ana-m', roles: ['it-manager'], email: 'Ana@sunbird.example' })
  await addMember('sunbird', { id: 'ana', roles: ['admin'], email: 'ana@sunbird.example' })
  keys.all = await addKey('moonbird', ['admin'])
  keys.emea = await addKey('moonbird', ['finance-user'], { billingProfiles: ['emea'], issuedBy: 'mia' })
  keys.ofAna = await addKey('moonbird', ['it-manager'], { issuedBy: 'ana-m' })
  keys.revoked = await addKey('moonbird', ['admin'], { revokedAt: new Date() })
  session = await addSession('moonbird', 'mia')
  for (const id of ['mia', 'ana-m']) await addFactor(id)
  await addAsset('moonbird', 'workspace-suite-1', { purchased: 5 }, { vendor: 'google-workspace' })
  await addAsset('moonbird', 'cloud-platform-7', null)
  await addAsset('sunbird', 'cloud-platform-8', null)
  await addInvoice('moonbird', 'M-1', { billingProfileId: 'emea' })
  await addInvoice('moonbird', 'M-2', { documentState: 'voided', balanceAmount: '0', replacedBy: 'M-1' })
  await addInvoice('sunbird', 'S-1')
  await addCharges('moonbird', { number: 'M-1' }, [{ cost: '7' }, { cost: '3' }])
  for (const customer of ['moonbird', 'sunbird'])
    await addCharges(customer, { number: 'S-1' }, [{ cost: '5' }])
  for (const customer of ['moonbird', 'sunbird'])
    await admin(`notices add ap@both.example --customer ${customer} --kinds new,due`)
  await admin(
    'notices add only@moonbird.example --customer moonbird --profile emea --kinds past-due,licenses',
  )
  await db.sql('moonbird', "UPDATE notice_recipients SET stopped = '{due}' WHERE email = 'ap@both.example'")
  // Without the triggers of the previous release, a merge writes all dependent rows itself.
  await withoutTriggers(db.url)
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

/** Adds an authenticator app that is registered at moonbird only. */
const addFactor = (member: string) =>
  db.sql(
    'moonbird',
    `INSERT INTO second_factors (person_id, reach, kind, name, secret)
     SELECT person_id, 'moonbird', 'totp', 'App', 'sealed' FROM members WHERE id = $1`,
    [member],
  )
const merge = (args: string) => admin(`customers merge moonbird --into sunbird ${args}`)
const errorsOf = (err: string) =>
  err
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trim())
const actions = async (customer: string) =>
  (await db.sql(customer, 'SELECT action FROM audit_events ORDER BY id')).map(({ action }) => action)
const callerOf = (key: string | undefined) => findKeyCaller(digestOf(key ?? ''))

describe('ids that both customers use are refused by name', () => {
  test('all conflicts in one answer', async () => {
    await addAsset('sunbird', 'cloud-platform-7', null)
    await addInvoice('sunbird', 'M-1', { number: 'X' })
    await addInvoice('sunbird', 'S-2', { number: 'M-1' })
    await admin('issuers set Reseller --customer moonbird --city Dublin')
    await admin('issuers set Reseller --customer sunbird --city Cork')
    const { code, out, err } = await merge('--dry-run')
    expect([code, out]).toEqual([1, ''])
    expect(errorsOf(err)).toEqual([
      'billing profile default: both have "default": add --profile default=<new id>',
      'asset cloud-platform-7: both have it',
      'invoice M-1: both have it',
      'invoice M-1: both have the number M-1 of Reseller',
      'issuer Reseller: what is known of it differs: see issuers list',
      'member Ana@sunbird.example: both have this member: disable one, or add --leave-members',
    ])
    await db.sql('sunbird', "UPDATE assets SET id = 'cloud-platform-9' WHERE id = 'cloud-platform-7'")
    await db.sql('sunbird', "DELETE FROM invoices WHERE id IN ('M-1', 'S-2')")
    await admin('issuers set Reseller --customer sunbird --city Dublin')
  })

  test('conflicts of renamed profiles, and a renamed profile that does not exist', async () => {
    const two = await merge('--dry-run --leave-members --profile default=same --profile emea=same')
    expect(errorsOf(two.err)).toEqual(['billing profile emea: gets the id "same", as default does'])
    expect((await merge('--dry-run --profile none=x')).err).toBe('moonbird has no billing profile "none".\n')
    expect((await admin('customers merge sunbird --into sunbird.example --dry-run')).err).toContain(
      'are one customer',
    )
    expect(await merge('')).toMatchObject({ code: 2 })
  })
})

const ARGS = '--profile default=moonbird --leave-members'

describe('a merge', () => {
  test('is previewed first, and rejected while the source customer is open', async () => {
    const { code, out, err } = await merge(`${ARGS} --dry-run`)
    expect([code, err]).toEqual([0, 'Dry run: nothing was stored.\n'])
    for (const line of ['assets  +2', 'invoices  +2', 'billing profiles  +2', 'members  +2', 'keys  +2'])
      expect(out).toMatch(new RegExp(`^${line}$`.replaceAll('  +', ' +'), 'm'))
    expect(await merge(`${ARGS} --yes`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('customers close moonbird'),
    })
    expect((await actions('sunbird')).includes('customer.merged')).toBe(false)
  })

  test('moves everything to the other customer in one step', async () => {
    await admin('customers close moonbird')
    expect(await merge(`${ARGS} --yes`)).toMatchObject({ code: 0 })
    expect(await db.sql('sunbird', 'SELECT id FROM assets ORDER BY id')).toEqual(
      ['cloud-platform-7', 'cloud-platform-8', 'cloud-platform-9', 'workspace-suite-1'].map((id) => ({ id })),
    )
    expect(
      await db.sql(
        'sunbird',
        'SELECT id, billing_profile_id AS p, replaced_by AS r FROM invoices ORDER BY id',
      ),
    ).toEqual([
      { id: 'M-1', p: 'emea', r: null },
      { id: 'M-2', p: 'moonbird', r: 'M-1' },
      { id: 'S-1', p: 'default', r: null },
    ])
    const charged =
      'SELECT s.number, c.billed_cost AS cost FROM charge_sets s JOIN charges c ON c.customer_id = s.customer_id AND c.set_id = s.id ORDER BY 1, c.position'
    expect(await db.sql('sunbird', charged)).toEqual([
      { number: 'M-1', cost: '7' },
      { number: 'M-1', cost: '3' },
      { number: 'S-1', cost: '5' },
    ])
    expect(await db.sql('sunbird', 'SELECT id FROM billing_profiles ORDER BY id')).toEqual(
      ['default', 'emea', 'moonbird'].map((id) => ({ id })),
    )
    expect((await admin('sums verify --customer sunbird')).code).toBe(0)
  })

  test('keeps the access of members and keys, without extending it', async () => {
    expect(
      await db.sql('sunbird', 'SELECT email, billing_profiles AS p FROM members ORDER BY lower(email)'),
    ).toEqual([
      { email: 'ana@sunbird.example', p: null },
      { email: 'eve@moonbird.example', p: ['emea'] },
      { email: 'mia@moonbird.example', p: ['emea', 'moonbird'] },
    ])
    expect(await callerOf(keys.all)).toMatchObject({
      customerId: 'sunbird',
      roles: ['admin'],
      billingProfiles: ['emea', 'moonbird'],
    })
    expect(await callerOf(keys.emea)).toMatchObject({ customerId: 'sunbird', billingProfiles: ['emea'] })
    expect([await callerOf(keys.ofAna), await callerOf(keys.revoked)]).toEqual([undefined, undefined])
    expect(await findSessionCaller(digestOf(session))).toBeUndefined()
    expect((await differences(db.url)).wrong).toEqual([])
    expect(await db.sql('moonbird', 'SELECT id FROM members WHERE disabled_at IS NULL')).toEqual([])
  })

  test('moves the second factors of the members, and none signs in without', async () => {
    const { rows } = await db.opened.signIn.query(
      'SELECT m.id, f.reach FROM second_factors f JOIN members m USING (person_id) WHERE m.customer_id = $1 ORDER BY 1',
      ['moonbird'],
    )
    expect(rows).toEqual([
      { id: 'ana-m', reach: 'moonbird' },
      { id: 'mia', reach: 'sunbird' },
    ])
  })

  test("leaves a vendor's subscription with one owner, and reads it again", async () => {
    const vendorRef = { vendor: 'google-workspace', vendorAccount: 'default', vendorCustomerId: 'C1' }
    const holders = await holdersOf([{ ...vendorRef, subscriptionId: 'S-moonbird-workspace-suite-1' }])
    expect(holders).toMatchObject([{ customerId: 'sunbird', assetId: 'workspace-suite-1' }])
  })

  test('keeps mail recipients from then on, and stopped notices stay stopped', async () => {
    const rows = await db.sql(
      'sunbird',
      `SELECT r.email, s.billing_profile_id AS p, s.kinds, r.stopped FROM notice_recipients r
       JOIN notice_subscriptions s ON s.customer_id = r.customer_id AND s.recipient_id = r.id ORDER BY 1, 2`,
    )
    expect(rows).toEqual([
      { email: 'ap@both.example', p: 'default', kinds: ['due', 'new'], stopped: ['due'] },
      { email: 'ap@both.example', p: 'moonbird', kinds: ['due', 'new'], stopped: ['due'] },
      { email: 'only@moonbird.example', p: 'emea', kinds: ['past-due'], stopped: [] },
    ])
  })

  test('leaves two valid histories that refer to each other, and records the end of the closed one', async () => {
    for (const id of ['moonbird', 'sunbird']) {
      const customerId = newCustomerId(id)
      expect((await readScope({ customerId }, (tx) => verifyChain(tx, customerId))).violation).toBeUndefined()
    }
    expect((await actions('moonbird')).at(-1)).toBe('customer.merged-into')
    const [event] = await db.sql(
      'sunbird',
      "SELECT details FROM audit_events WHERE action = 'customer.merged'",
    )
    const [chainHead] = await db.sql(
      'moonbird',
      "SELECT seq, encode(digest, 'hex') AS digest FROM audit_heads",
    )
    expect(event?.details).toMatchObject({
      from: 'moonbird',
      'chain place': chainHead?.seq,
      'chain digest': chainHead?.digest,
      assets: 2,
    })
  })

  test('happens once and can’t be undone', async () => {
    expect(await merge(`${ARGS.replace('=moonbird', '=again')} --yes`)).toMatchObject({ code: 1 })
    expect(await admin('customers reopen moonbird')).toMatchObject({
      code: 1,
      err: expect.stringContaining('was merged into sunbird'),
    })
  })
})

test('a merge that fails in the middle leaves both as they were', async () => {
  for (const id of ['left', 'right']) await addCustomer(id)
  await addAsset('left', 'cloud-platform-1', null)
  const key = await addKey('left', ['admin'])
  await admin('customers close left')
  // Custom check constraint that no check beforehand covers.
  const { Client } = (await import('pg')).default
  const owner = new Client({ connectionString: db.url })
  await owner.connect()
  await owner.query("ALTER TABLE assets ADD CONSTRAINT planted CHECK (customer_id <> 'right') NOT VALID")
  const { code } = await admin('customers merge left --into right --profile default=left --yes')
  expect(code).toBe(1)
  await owner.query('ALTER TABLE assets DROP CONSTRAINT planted')
  await owner.end()
  expect(await callerOf(key)).toMatchObject({ customerId: 'left' })
  expect(await db.sql('right', 'SELECT id FROM billing_profiles')).toEqual([{ id: 'default' }])
  expect((await actions('left')).at(-1)).toBe('customer.closed')
  expect((await admin('customers merge left --into right --profile default=left --yes')).code).toBe(0)
  expect(await callerOf(key)).toMatchObject({ customerId: 'right' })
})
