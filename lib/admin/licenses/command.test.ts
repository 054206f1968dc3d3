import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkedRows, setRow } from '#lib/licenses/license-lists/apply.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer } from '#lib/platform/db/test-rows.ts'
import { commandLine } from '../test-command.ts'
import { operatorFor } from './operator.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-apply-'))
let db: TestDatabase
const { admin } = commandLine(() => db.url, folder)
const APPLY = 'licenses apply - --customer sunbird'
const until = new Date('2099-03-01T00:00:00Z')

beforeAll(async () => {
  db = await testDatabase()
  for (const id of ['sunbird', 'other']) await addCustomer(id)
  await addAsset('other', 'office-suite-9', { purchased: 10 })
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

let made = 0
/** Fresh assets for each test: flexible with 4 assigned, committed, suspended, without licenses, unreachable. */
const id = { flexible: '', committed: '', suspended: '', usage: '', remote: '' }
beforeEach(async () => {
  made += 1
  Object.assign(id, {
    flexible: `workspace-suite-f${made}`,
    committed: `workspace-suite-c${made}`,
    usage: `cloud-platform-${made}`,
    suspended: `office-suite-s${made}`,
    remote: `office-suite-r${made}`,
  })
  await addAsset('sunbird', id.flexible, { purchased: 10, assigned: 4 })
  await addAsset('sunbird', id.committed, { purchased: 50, isCommitmentPlan: true, commitmentEnd: until })
  await addAsset('sunbird', id.suspended, { purchased: 10, status: 'SUSPENDED' })
  await addAsset('sunbird', id.remote, { purchased: 10 }, { vendor: 'google-workspace' })
  await addAsset('sunbird', id.usage, null)
})

const changesOf = (assetId: string) =>
  db.sql(
    'sunbird',
    'SELECT from_quantity, to_quantity, state, actor_kind FROM license_changes WHERE asset_id = $1 ORDER BY created_at',
    [assetId],
  )
const applied = (from: number, to: number) => ({
  from_quantity: from,
  to_quantity: to,
  state: 'APPLIED',
  actor_kind: 'operator',
})

test('A dry run shows each row and changes nothing', async () => {
  writeFileSync(join(folder, 'totals.csv'), `Asset ID;Total\n${id.flexible};12\n${id.committed};60\n`)
  const { code, out, err } = await admin('licenses apply totals.csv --customer sunbird.example --dry-run')
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['line', 'asset', 'name', 'now', 'target', 'change', 'check'],
    ['2', id.flexible, id.flexible, '10', '12', '+2', 'allowed'],
    ['3', id.committed, id.committed, '50', '60', '+10', "allowed, can't be undone"],
    [''],
  ])
  expect(err).toBe(
    'Set 2 assets, +12 licenses, of which 10 can’t be lowered before their renewal: not done.\n',
  )
  expect(code).toBe(0)
  expect([await changesOf(id.flexible), await changesOf(id.committed)]).toEqual([[], []])
})

test('Each row is set by the operator; a repeated list changes nothing', async () => {
  const list = `${id.flexible}\t12\n${id.committed}\t60\n`
  const { code, out, err } = await admin(`${APPLY} --yes`, list)
  expect([code, err]).toEqual([0, expect.stringContaining('2 of 2 rows are as listed.')])
  expect(out).toContain(`line 1, ${id.flexible}: done, 12\n`)
  expect(out).toContain(`line 2, ${id.committed}: done, 60\n`)
  const again = await admin(`${APPLY} --yes`, list)
  expect([again.code, again.err]).toEqual([0, 'Nothing to change.\n'])
  expect(again.out).toMatch(/12 +12 +0 +no change\n/)
  expect(await changesOf(id.flexible)).toEqual([applied(10, 12)])
  expect(await changesOf(id.committed)).toEqual([applied(50, 60)])
  const audited = await db.sql(
    'sunbird',
    "SELECT actor_id, actor_name FROM audit_events WHERE details ->> 'assetId' = $1",
    [id.flexible],
  )
  expect(audited).toEqual([{ actor_id: 'operator', actor_name: 'Operator' }])
})

test('A row that can’t be set shows its reason and does not stop the others', async () => {
  const list = [
    `${id.committed},49`,
    `${id.suspended},12`,
    `${id.usage},5`,
    `${id.remote},12`,
    'office-suite-9,12',
    `${id.flexible},11`,
  ]
  const { code, out, err } = await admin(`${APPLY} --yes`, list.join('\n'))
  const reasons = [
    'cannot go below 50 licenses before 2099-03-01',
    'is SUSPENDED',
    'have no licenses',
    'We have no access to Google Workspace',
    'has no asset with this ID',
    'allowed',
  ]
  const rows = out.split('\n').slice(1)
  for (const [at, reason] of reasons.entries()) expect(rows[at]).toContain(reason)
  expect(rows[6]).toBe(`line 6, ${id.flexible}: done, 11`)
  expect(code).toBe(1)
  expect(err).toContain('1 of 6 rows are as listed.')
  expect(await changesOf(id.committed)).toEqual([])
  expect(await db.sql('other', 'SELECT seats_purchased FROM assets')).toEqual([{ seats_purchased: 10 }])
})

test("The vendor's refusal is displayed before the confirmation", async () => {
  const { code, out } = await admin(`${APPLY} --dry-run`, `${id.flexible},3`)
  expect([code, out]).toEqual([1, expect.stringContaining('4 users are assigned. Unassign 1 first')])
})

describe('a command that changes nothing', () => {
  test.each([
    ['a line that is wrong', '12\noffice-suite-1,1.5', 'line 2: "1.5" is not a whole number'],
    ['a repeated asset', '12\n\n"ws-1",1\nws-1,1', 'line 4: "ws-1" is on line 3 already'],
  ])('refuses %s', async (_what, rest, reason) => {
    const { code, out, err } = await admin(`${APPLY} --yes`, `${id.flexible},${rest}`)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(reason)
    expect(await changesOf(id.flexible)).toEqual([])
  })

  test.each([
    ['without a terminal to ask on', 'one.csv --customer sunbird', 2, '--yes'],
    [
      'for a customer that is not there',
      'one.csv --customer nobody --yes',
      1,
      'There is no customer "nobody".',
    ],
    ['without the file', 'two.csv --customer sunbird --yes', 1, 'there is no such file'],
  ])('%s', async (_what, args, code, reason) => {
    writeFileSync(join(folder, 'one.csv'), `${id.flexible},12`)
    const output = await admin(`licenses apply ${args}`)
    expect([output.code, output.err]).toEqual([code, expect.stringContaining(reason)])
    expect(await changesOf(id.flexible)).toEqual([])
  })
})

test('An asset that was changed after the check is not overwritten', async () => {
  const caller = (await operatorFor('sunbird', ['it-manager'])) as Caller
  const check = (quantity: number) =>
    checkedRows(caller, [{ line: 1, assetId: id.flexible, quantity }], new AbortController().signal)
  const [mine] = await check(12)
  const [theirs] = await check(20)
  if (!mine || !theirs) throw new Error('There is no row.')
  expect(await setRow(caller, theirs, 'theirs')).toEqual({ outcome: 'done', reason: '' })
  expect(await setRow(caller, mine, 'mine')).toEqual({
    outcome: 'conflict',
    reason: 'Operator set this to 20 since you read it.',
  })
  const [same] = await check(20)
  expect(same?.check).toBe('same')
  expect(await setRow(caller, { ...mine, quantity: 20 }, 'same')).toMatchObject({ outcome: 'done' })
  expect(await changesOf(id.flexible)).toEqual([applied(10, 20)])
})

test('The operator has exactly the roles that a command requires', async () => {
  const caller = (await operatorFor('other.example', ['finance-user'])) as Caller
  expect(caller).toMatchObject({ customerId: 'other', via: 'operator', billingProfiles: [] })
  const [row] = await checkedRows(
    caller,
    [{ line: 1, assetId: 'office-suite-9', quantity: 12 }],
    new AbortController().signal,
  )
  expect(row).toMatchObject({ check: 'unchecked', reason: expect.stringContaining('Licenses Manager') })
  expect(await operatorFor('nobody', [])).toBeUndefined()
})
