import 'server-only'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Actor, actorOf, recordAudit } from '#lib/access/audit.ts'
import type { Caller } from '#lib/access/rules.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/api/contract.ts'
import { type Origin, operation } from '#lib/api/operation.ts'
import { pageOf, readPageToken } from '#lib/api/page-token.ts'
import { errorCode, Problem } from '#lib/api/problem.ts'
import type { Transaction } from '#lib/db/client.ts'
import { readScope, scope } from '#lib/db/scope.ts'
import { vendorNamed } from '#lib/vendors/vendors.ts'
import * as contract from './contract.ts'
import { decideQuantity, type QuantityDecision } from './rules.ts'
import { serializeAsset, serializeListItem, versionOf } from './serialize.ts'
import * as store from './store.ts'

// Microseconds since 1970 that PostgreSQL can hold, and an id.
const SortKey = z.tuple([
  z.string().regex(/^\d{1,17}$/),
  z
    .string()
    .max(300)
    .regex(/^[^\0]+$/),
])

export const listAssets = operation(contract.listAssets, async (caller, { query }) => {
  const { filter, search, view, maxResults = DEFAULT_MAX_RESULTS } = query
  const filters = ['assets', filter, search]
  const cursor = query.pageToken ? readPageToken(query.pageToken, filters, SortKey) : undefined
  const rows = await readScope(caller, (tx) =>
    store.listAssets(tx, caller.customerId, { filter, search }, maxResults + 1, cursor),
  )
  const { rows: shown, ...links } = pageOf(rows, maxResults, cursor, store.keyOf, filters)
  const assets = shown.map(({ asset }) => serializeListItem(asset, view === 'full'))
  return { body: { ...links, assets, rowCount: assets.length } }
})

export const summarizeAssets = operation(contract.summarizeAssets, async (caller, { query }) => {
  const types = await readScope(caller, (tx) => store.countAssets(tx, caller.customerId, query))
  return { body: { count: types.reduce((sum, { count }) => sum + count, 0), types } }
})

export const readAsset = operation(contract.readAsset, async (caller, { params }) => {
  const row = await readScope(caller, (tx) => store.readAsset(tx, caller.customerId, params.asset_id))
  if (!row) throw new Problem('not_found')
  return { body: serializeAsset(row), version: versionOf(row) }
})

/** The order of the checks is CONTRACT 4's. The asset's row is locked first, and for all of it. */
export const setQuantity = operation(contract.setQuantity, async (caller, { params, body }, origin) => {
  const change = { caller, assetId: params.asset_id, quantity: body.quantity, origin }
  const outcome = await scope(caller, (tx) => changeQuantity(tx, change)).catch(asLockProblem)
  // Thrown only here, so that the record of the refusal is committed.
  if (outcome instanceof Problem) throw outcome
  return { body: serializeAsset(outcome), version: versionOf(outcome) }
})

type Change = { caller: Caller; assetId: string; quantity: number; origin: Origin }

async function changeQuantity(tx: Transaction, change: Change): Promise<store.AssetRow | Problem> {
  const { caller, assetId, quantity, origin } = change
  const { customerId } = caller
  const row = await store.readAsset(tx, customerId, assetId, { lock: true })
  if (!row) throw new Problem('not_found')
  if (!store.hasLicenses(row))
    throw new Problem('quantity_not_supported', `Assets of type ${row.type} have no licenses.`)
  const decision = decideQuantity(factsOf(row), quantity)
  if (!decision.allowed && decision.reason === 'not_active') throw refusal(decision)
  if (quantity === row.seatsPurchased) return row
  if (!decision.allowed) throw refusal(decision)

  const seats = { purchased: row.seatsPurchased, maximum: row.seatsMaximum, assigned: row.seatsAssigned }
  const subscription = { ...row, customerId: row.vendorCustomerId, seats }
  const answer = await vendorNamed(row.vendor).setQuantity(subscription, quantity)

  const reason = answer.kind === 'rejected' ? answer.reason : undefined
  const by = { actor: actorOf(caller), requestId: origin.requestId }
  const settled = { id: randomUUID(), assetId, from: row.seatsPurchased, to: quantity, vendorReason: reason }
  const state = reason === undefined ? 'APPLIED' : 'REJECTED'
  // Written together, in one round trip; they stand or fall together in any case.
  const [changed] = await Promise.all([
    answer.kind === 'applied' ? store.setSeats(tx, customerId, assetId, answer.seats) : undefined,
    store.addLicenseChange(tx, customerId, { ...settled, state, ...by }),
    recordAudit(tx, customerId, auditOf(settled, by)),
  ])
  return changed ?? new Problem('vendor_rejected', reason)
}

type Settled = { id: string; assetId: string; from: number; to: number; vendorReason: string | undefined }

function auditOf({ id, assetId, from, to, vendorReason }: Settled, by: { actor: Actor; requestId: string }) {
  const details = { assetId, from, to }
  if (vendorReason === undefined) return { action: 'license-change.applied', subject: id, details, ...by }
  return {
    action: 'license-change.rejected',
    subject: id,
    details: { ...details, reason: vendorReason },
    ...by,
  }
}

function factsOf(row: store.LicensedRow) {
  const { status, isCommitmentPlan, commitmentEnd } = row
  return { status, isCommitmentPlan, purchased: row.seatsPurchased, commitmentEnd: commitmentEnd?.getTime() }
}

function refusal(decision: Exclude<QuantityDecision, { allowed: true }>): Problem {
  if (decision.reason === 'not_active') {
    const detail = `The subscription is ${decision.status}; its quantity can change only while it is ACTIVE.`
    return new Problem('subscription_not_active', detail, {
      members: { subscriptionStatus: decision.status },
    })
  }
  const { current, minimum, until } = decision
  const end = until === undefined ? '' : ` before ${new Date(until).toISOString().slice(0, 10)}`
  return new Problem(
    'decrease_not_allowed',
    `This commitment plan can not go below ${minimum} licenses${end}.`,
    {
      members: { current, minimum, ...(until === undefined ? {} : { commitmentEndTime: until }) },
    },
  )
}

function asLockProblem(error: unknown): never {
  // lock_not_available: somebody else's change holds the row for longer than we may wait
  if (errorCode(error) !== '55P03') throw error
  throw new Problem('change_in_progress', undefined, { headers: { 'Retry-After': '1' } })
}
