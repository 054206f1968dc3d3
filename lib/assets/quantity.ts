import 'server-only'
import { randomUUID } from 'node:crypto'
import { type Actor, actorOf, recordAudit } from '#lib/access/audit.ts'
import type { Caller, CustomerId } from '#lib/access/rules.ts'
import { type Outcome, once } from '#lib/api/idempotency.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Transaction } from '#lib/db/client.ts'
import { vendorNamed } from '#lib/vendors/vendors.ts'
import type { Asset } from './contract.ts'
import { addLicenseChange, lastChange } from './license-change.ts'
import { decideQuantity, type QuantityDecision } from './rules.ts'
import { etagOf, serializeAsset, versionOf } from './serialize.ts'
import * as shapes from './shapes.ts'
import * as store from './store.ts'

export type QuantityRequest = {
  caller: Caller
  assetId: string
  /** The total after the change. */
  quantity: number
  requestId: string
  /** The header If-Match: the versions of which the asset must have one. */
  ifMatch: string | undefined
  idempotencyKey: string | undefined
  /** Checks the same and answers the same, but changes nothing. */
  dryRun: boolean
}

/**
 * Sets a total, in the order of the checks of CONTRACT 4. The asset's row is locked first, and for all of it.
 * @returns the asset as it is now, or a refusal that settles the request and is to be kept
 * @throws Problem `not_found` or `idempotency_key_reused`, which settle nothing
 */
export async function changeQuantity(tx: Transaction, request: QuantityRequest): Promise<Outcome<Asset>> {
  const { caller, assetId, quantity, requestId, idempotencyKey, dryRun } = request
  const row = await store.readAsset(tx, caller.customerId, assetId, { lock: !dryRun })
  if (!row) throw new Problem('not_found')
  const settle = () => settled(tx, row, request)
  if (dryRun || idempotencyKey === undefined) return settle()
  const claim = { caller, key: idempotencyKey, request: ['setQuantity', assetId, quantity], requestId }
  return once(tx, claim, (asset) => shapes.Asset.parse(asset), settle)
}

async function settled(
  tx: Transaction,
  row: store.AssetRow,
  request: QuantityRequest,
): Promise<Outcome<Asset>> {
  const { quantity, ifMatch, dryRun } = request
  if (!store.hasLicenses(row)) {
    return new Problem('quantity_not_supported', `Assets of type ${row.type} have no licenses.`)
  }
  if (!isVersion(row, ifMatch)) return mismatch(tx, request.caller.customerId, row)
  const decision = decideQuantity(factsOf(row), quantity)
  if (!decision.allowed && decision.reason === 'not_active') return refusal(decision)
  if (quantity === row.seatsPurchased) return replyOf(row)
  if (!decision.allowed) return refusal(decision)
  const seats = { purchased: row.seatsPurchased, maximum: row.seatsMaximum, assigned: row.seatsAssigned }
  const answer = vendorNamed(row.vendor).foresee({ seats }, quantity)
  const reason = answer.kind === 'rejected' ? answer.reason : undefined
  if (dryRun && answer.kind === 'applied') return replyOf(store.withSeats(row, answer.seats))
  if (dryRun) return new Problem('vendor_rejected', reason)

  const { customerId } = request.caller
  const by = { actor: actorOf(request.caller), requestId: request.requestId }
  const change = {
    id: randomUUID(),
    assetId: row.id,
    from: row.seatsPurchased,
    to: quantity,
    vendorReason: reason,
  }
  const state = reason === undefined ? 'APPLIED' : 'REJECTED'
  // Written together, in one round trip; they stand or fall together in any case.
  const [changed] = await Promise.all([
    answer.kind === 'applied' ? store.setSeats(tx, customerId, row.id, answer.seats) : undefined,
    addLicenseChange(tx, customerId, { ...change, state, ...by }),
    recordAudit(tx, customerId, auditOf(change, by)),
  ])
  return changed ? replyOf(changed) : new Problem('vendor_rejected', reason)
}

function replyOf(row: store.AssetRow): Outcome<Asset> {
  return { body: serializeAsset(row), version: versionOf(row) }
}

/** If-Match compares the seat version alone: assigned seats may have moved meanwhile (CONTRACT 4). */
function isVersion(row: store.AssetRow, ifMatch: string | undefined): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true
  return ifMatch.split(',').some((tag) => tag.trim().startsWith(`"${versionOf(row)}.`))
}

async function mismatch(tx: Transaction, customerId: CustomerId, row: store.LicensedRow): Promise<Problem> {
  const last = await lastChange(tx, customerId, row.id)
  // Seats that are not what our last change made them were changed by the vendor.
  const ours = last?.toQuantity === row.seatsPurchased ? last : undefined
  const name = ours && (ours.actorKind === 'key' ? `API key ${ours.actorName}` : ours.actorName)
  const changedBy = name ?? 'The vendor'
  const detail = `${changedBy} set this to ${row.seatsPurchased} since you read it.`
  const at: Record<string, number> = ours?.settledAt ? { changedAt: ours.settledAt.getTime() } : {}
  return new Problem('version_mismatch', detail, {
    members: { current: row.seatsPurchased, changedBy, ...at, etag: etagOf(row) },
  })
}

type Settled = { id: string; assetId: string; from: number; to: number; vendorReason: string | undefined }

function auditOf({ id, assetId, from, to, vendorReason }: Settled, by: { actor: Actor; requestId: string }) {
  const details = { assetId, from, to }
  if (vendorReason === undefined) return { action: 'license-change.applied', subject: id, details, ...by }
  const reason = { ...details, reason: vendorReason }
  return { action: 'license-change.rejected', subject: id, details: reason, ...by }
}

function factsOf(row: store.LicensedRow) {
  const { status, isCommitmentPlan, commitmentEnd } = row
  return { status, isCommitmentPlan, purchased: row.seatsPurchased, commitmentEnd: commitmentEnd?.getTime() }
}

function refusal(decision: Exclude<QuantityDecision, { allowed: true }>): Problem {
  if (decision.reason === 'not_active') {
    const detail = `The subscription is ${decision.status}; its quantity can change only while it is ACTIVE.`
    const members = { subscriptionStatus: decision.status }
    return new Problem('subscription_not_active', detail, { members })
  }
  const { current, minimum, until } = decision
  const end = until === undefined ? '' : ` before ${new Date(until).toISOString().slice(0, 10)}`
  const members = { current, minimum, ...(until === undefined ? {} : { commitmentEndTime: until }) }
  const detail = `This commitment plan can not go below ${minimum} licenses${end}.`
  return new Problem('decrease_not_allowed', detail, { members })
}
