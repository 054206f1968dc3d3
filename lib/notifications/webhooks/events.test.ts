import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { change } from '#lib/identity/members/change.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addAsset, addInvoice, addKey, addMember, callerOf } from '#lib/platform/db/test-rows.ts'
import { recordPaymentEvent } from '#lib/platform/outbox/events.ts'
import { writeDailyEvents } from './daily.ts'
import { addAdmin, addEndpoint, onStage, owner, stage } from './test-stage.ts'

onStage(async () => {
  await addEndpoint(owner, stage.receiver.url)
})

/** Returns the events since the last call. */
async function events() {
  const rows = await stage.database.sql(
    owner.customer,
    "DELETE FROM outbox WHERE kind = 'webhook' RETURNING seq, content ->> 'kind' AS kind, content -> 'ids' AS ids, lane",
  )
  return rows.toSorted((a, b) => Number(a.seq) - Number(b.seq)).map(({ kind, ids }) => [kind, ids])
}
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const daily = () => writeDailyEvents('test', new AbortController().signal)

it('A completed license change is an event, and a rejected request without a change is none', async () => {
  await addAsset(owner.customer, 'workspace-suite-1', { purchased: 5, assigned: 3 })
  const caller = await callerOf(owner.customer, 'it-manager')
  const set = (quantity: number) => {
    const input = { params: { asset_id: 'workspace-suite-1' }, query: {}, headers: {}, body: { quantity } }
    return setQuantity(caller, input as never, { requestId: 'test' })
  }
  await set(7)
  await set(7)
  expect(await events()).toEqual([
    ['license_change.completed', { assetId: 'workspace-suite-1', licenseChangeId: expect.any(String) }],
  ])
})

it('A changed member is an event, once per transaction', async () => {
  const memberId = await addMember(owner.customer, { roles: ['it-manager'] })
  const caller = { ...(await callerOf(owner.customer, 'admin')), via: 'session' as const, id: owner.admin }
  await scope(caller, (tx) =>
    change(tx, caller, memberId, {
      requested: { name: 'Ben', roles: ['finance-user'] },
      requestId: 'test',
    }),
  )
  expect(await events()).toEqual([['member.changed', { memberId }]])
})

it('A recorded payment is an event of its invoice', async () => {
  const customerId = newCustomerId(owner.customer)
  const payment = { paymentId: 'P-1', invoiceId: 'IN-1~2', billingProfileId: 'default' }
  await scope({ customerId }, async (tx) => recordPaymentEvent(tx, customerId, payment))
  const [row] = await stage.database.sql(owner.customer, 'SELECT lane FROM outbox')
  // All versions of a number are in one lane.
  expect(String(row?.lane)).toMatch(/ invoice:IN-1$/)
  expect(await events()).toEqual([['payment.recorded', { invoiceId: 'IN-1~2', paymentId: 'P-1' }]])
})

it('Invoices past due and ending keys are events once, in any number of runs', async () => {
  const invoice = (id: string, dueIn: number, more = {}) =>
    addInvoice(owner.customer, id, { invoiceDate: day(-40), dueDate: day(dueIn), ...more })
  await invoice('IN-LATE', -1)
  await invoice('IN-DUE', 0)
  await invoice('IN-OLD', -30)
  await invoice('IN-PAID', -1, { balanceAmount: '0' })
  const soon = new Date(Date.now() + 3 * 86_400_000)
  await addKey(owner.customer, ['admin'], { id: 'k-soon', expiresAt: soon })
  await addKey(owner.customer, ['admin'], { id: 'k-later', expiresAt: new Date(Date.now() + 9 * 86_400_000) })
  const counts = await Promise.all([daily(), daily()])
  expect(counts.reduce((sum, count) => sum + count)).toBe(2)
  expect(await daily()).toBe(0)
  expect((await events()).toSorted()).toEqual([
    ['invoice.past_due', { invoiceId: 'IN-LATE' }],
    ['key.ending', { keyId: 'k-soon' }],
  ])
})

it('A customer whose events cannot be written does not stop the others', async () => {
  const first = newCustomerId(owner.customer)
  const inThreeDays = new Date(Date.now() + 3 * 86_400_000)
  const other = await addAdmin()
  await addEndpoint(other, stage.receiver.url)
  for (const { customer } of [owner, other])
    await addKey(customer, ['admin'], { id: 'k-soon', expiresAt: inThreeDays })
  // Another transaction writes the same event, and does not end.
  const { promise, resolve } = Promise.withResolvers<void>()
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const blocking = scope({ customerId: first }, async (tx) => {
    await tx.execute(sql`INSERT INTO daily_events (customer_id, kind, object_id, "on")
      VALUES (${first}, 'key.ending', 'k-soon', ${inThreeDays.toISOString().slice(0, 10)})`)
    start()
    await promise
  })
  await started
  const failure = daily()
  await expect(failure).rejects.toThrow('Events of 1 customers were not written.')
  resolve()
  await blocking
  const rows = await stage.database.sql(other.customer, "SELECT content ->> 'kind' AS kind FROM outbox")
  expect(rows).toEqual([{ kind: 'key.ending' }])
})
