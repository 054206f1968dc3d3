import 'server-only'
import { randomUUID } from 'node:crypto'
import { hasLicenses, type LicensedRow, readAsset } from '#lib/licenses/assets/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { entityTag, isVersion } from '#lib/platform/api/request.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf } from '#lib/platform/history/audit.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { type EndAction, isOffered, isSameSetting, type NoOrder, type Setting, whyNoOrder } from './rules.ts'
import { serializeRenewal } from './serialize.ts'
import * as store from './store.ts'
import { factsOf, setScheduled, settingOf } from './terms.ts'

// Placing and withdrawal of an order, in one transaction; the vendor gets its request after the commit.

export type OrderRequest = { caller: Caller; assetId: string; ifMatch: string | undefined; requestId: string }

/** Ordered setting. `action` orders an end, and `confirm` is the typed name of the product. */
type Order = { setting: Setting; action?: EndAction | undefined; confirm?: string | undefined }

/** @returns the id of an order that is to be placed at its vendor; undefined where nothing is left to do */
export async function order(tx: Transaction, request: OrderRequest & Order): Promise<string | undefined> {
  const { caller, assetId, setting, action, requestId } = request
  const { customerId } = caller
  const { row, active } = await lock(tx, request)
  const vendor = vendorOf(row)
  const facts = factsOf(row, active)
  const because = whyNoOrder(facts, Date.now())
  if (because) throw notSupported(row, because, vendor.label)
  if (!isOffered(facts, setting, action)) {
    const ways = typeof facts.choice === 'object' && facts.choice.renewalTypes.join(', ')
    const next = ways ? `how to renew: ${ways}` : 'a total: name `quantity`'
    const ends = facts.endActions.map((one) => `, or the action \`${one}\``).join('')
    throw new Problem(
      'renewal_not_supported',
      `${vendor.label} takes, for the next term, only ${next}${ends}.`,
    )
  }
  checkConfirmation(row, request)
  const isRepeat = active && isSameSetting({ ...active, quantity: active.toQuantity }, setting)
  if (isRepeat && !active.takenBackAt) return undefined
  const by = { actor: actorOf(caller), requestId }
  const id = randomUUID()
  if (active) await store.settleOrder(tx, customerId, active, { state: 'REPLACED', ...by, replacedBy: id })
  const termEnd = row.commitmentEnd as Date
  const isOwn = vendor.systemOfRecord === 'ours'
  const { vendorSubscriptionId } = row
  const seen = settingOf(row)
  await store.addOrder(tx, customerId, by, {
    ...{ id, assetId, termEnd, toQuantity: setting.quantity, renewalType: setting.renewalType },
    ...{ vendorSubscriptionId, seenQuantity: seen.quantity, seenType: seen.renewalType },
    ...{ placedVersion: isOwn ? row.seatVersion : null, isLogged: active ? active.isLogged : true },
  })
  if (!isOwn) return id
  if (setting.quantity !== null)
    await setScheduled(tx, customerId, assetId, { total: setting.quantity, at: termEnd })
  return undefined
}

/** @throws Problem where a cancellation does not name the product, or another order names another one */
function checkConfirmation({ name }: LicensedRow, { action, confirm }: Order): void {
  const isNamed = confirm?.trim() === name.trim()
  if (isNamed || (action !== 'cancel' && confirm === undefined)) return
  const detail = `must be the name of the product: ${name}`
  throw new Problem('invalid_request', `confirm: ${detail}`, { errors: [{ pointer: '/confirm', detail }] })
}

/** @returns the id of an order that is to be removed at its vendor; undefined where nothing is left to do */
export async function withdraw(tx: Transaction, request: OrderRequest): Promise<string | undefined> {
  const { caller, assetId, requestId } = request
  const { customerId } = caller
  const { row, active } = await lock(tx, request)
  if (!active || active.takenBackAt) return undefined
  const actor = actorOf(caller)
  if (vendorOf(row).systemOfRecord === 'theirs') {
    const now = new Date()
    const by = { takenBackByKind: actor.kind, takenBackById: actor.id, takenBackByName: actor.name }
    const note = { takenBackAt: now, ...by, waitsSince: now, tries: 0, nextLookAt: now, reason: null }
    await store.noteOrder(tx, customerId, active.id, note)
    return active.id
  }
  await store.settleOrder(tx, customerId, active, { state: 'WITHDRAWN', actor, requestId })
  await setScheduled(tx, customerId, assetId)
  return undefined
}

/** Returns the asset, its row locked, with its active order. */
async function lock(tx: Transaction, { caller, assetId, ifMatch }: OrderRequest) {
  const { customerId } = caller
  const row = found(await readAsset(tx, customerId, assetId, { lock: true }))
  const newest = await store.newestOrder(tx, customerId, assetId)
  const active = newest?.state === 'STANDING' ? newest : undefined
  const version = versionOf(newest)
  if (isVersion(version, ifMatch)) return { row, active }
  const changedBy = active?.actorName ?? 'Someone'
  const etag = entityTag(JSON.stringify(serializeRenewal(row, newest)), version)
  const changedAt = active?.createdAt.getTime()
  throw new Problem(
    'version_mismatch',
    `${changedBy} changed what is ordered for the next term since you read it.`,
    {
      members: { current: row.seatsPurchased, changedBy, etag, ...(active && { changedAt }) },
    },
  )
}

export function found(row: Awaited<ReturnType<typeof readAsset>>): LicensedRow {
  if (!row) throw new Problem('not_found')
  if (hasLicenses(row)) return row
  throw new Problem('quantity_not_supported', `Assets of type ${row.type} have no licenses.`)
}

/** Returns the first part of a renewal's ETag: its active order. */
export function versionOf(newest: store.OrderRow | undefined): string {
  return newest?.state === 'STANDING' ? newest.id : 'none'
}

/** Returns 409 where the subscription is not active; else 422, with the reason. */
function notSupported(row: LicensedRow, because: NoOrder, label: string): Problem {
  if (because === 'not_active') {
    const detail = `The subscription is ${row.status}; its next term can be ordered only while it is ACTIVE.`
    return new Problem('subscription_not_active', detail, { members: { subscriptionStatus: row.status } })
  }
  const details = {
    no_commitment: 'The plan has no commitment: its licenses can be changed at any time.',
    not_offered: `${label} takes no orders for the next term of this plan.`,
    no_end: 'It is not known when the commitment ends, or how long the next term is.',
    ended: 'The commitment has just ended. Look at it again when the next term is known.',
    ends: 'The plan is not renewed. To renew it, contact your reseller.',
  }
  return new Problem('renewal_not_supported', details[because])
}
