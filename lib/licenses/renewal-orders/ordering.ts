import 'server-only'
import { randomUUID } from 'node:crypto'
import { hasLicenses, type LicensedRow, readAsset } from '#lib/licenses/assets/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { entityTag, isVersion } from '#lib/platform/api/request.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf } from '#lib/platform/history/audit.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import * as answers from './answers.ts'
import { isOffered, type Wanted, whyNoOrder } from './rules.ts'
import { serializeRenewal } from './serialize.ts'
import * as store from './store.ts'
import { factsOf, setScheduled } from './terms.ts'

// What a person orders or takes back, in one transaction; their vendor is told after it.

type Asked = { caller: Caller; assetId: string; ifMatch: string | undefined; requestId: string }

/** @returns the id of an order that its vendor is to be told of; undefined where nothing is left to do */
export async function order(tx: Transaction, asked: Asked & { wanted: Wanted }): Promise<string | undefined> {
  const { caller, assetId, wanted, requestId } = asked
  const { customerId } = caller
  const { row, standing } = await lock(tx, asked)
  const vendor = vendorOf(row)
  const facts = factsOf(row)
  const because = whyNoOrder(facts, Date.now())
  if (because) throw answers.notSupported(row, because, vendor.label)
  if (!isOffered(facts, wanted)) throw answers.notOffered(facts, vendor.label)
  if (standing && !standing.takenBackAt && isSame(store.wantedOf(standing), wanted)) return undefined
  const by = { actor: actorOf(caller), requestId }
  const id = randomUUID()
  if (standing) await store.settleOrder(tx, customerId, standing, 'REPLACED', { ...by, replacedBy: id })
  const termEnd = row.commitmentEnd as Date
  const isOurs = vendor.systemOfRecord === 'ours'
  const placedVersion = isOurs ? row.seatVersion : undefined
  const { vendorSubscriptionId } = row
  const former = formerOf(row, standing)
  const added = { id, assetId, wanted, vendorSubscriptionId, former, termEnd, placedVersion }
  await store.addOrder(tx, customerId, { ...added, ...by })
  if (!isOurs) return id
  if ('quantity' in wanted)
    await setScheduled(tx, customerId, assetId, { total: wanted.quantity, at: termEnd })
  return undefined
}

/** @returns the id of an order that its vendor is to be told to forget; undefined where nothing is left to do */
export async function withdraw(tx: Transaction, asked: Asked): Promise<string | undefined> {
  const { caller, assetId, requestId } = asked
  const { customerId } = caller
  const { row, standing } = await lock(tx, asked)
  if (!standing || standing.takenBackAt) return undefined
  const actor = actorOf(caller)
  // Whatever was said of it, or is left there of the one before it, is to be taken away.
  if (vendorOf(row).systemOfRecord === 'theirs') {
    const now = new Date()
    const { kind, id, name } = actor
    const by = { takenBackByKind: kind, takenBackById: id, takenBackByName: name }
    const note = { takenBackAt: now, ...by, tries: 0, nextLookAt: now }
    await store.noteOrder(tx, customerId, standing.id, note)
    return standing.id
  }
  await store.settleOrder(tx, customerId, standing, 'WITHDRAWN', { actor, requestId })
  await setScheduled(tx, customerId, assetId, undefined)
  return undefined
}

/** What the vendor would do without any order of ours, and what it may have of the one whose place is taken. */
function formerOf(row: LicensedRow, standing: store.OrderRow | undefined) {
  if (!standing) {
    const nothing = { heldType: null, heldQuantity: null, unclearUntil: null }
    return { formerType: row.renewalType, formerQuantity: row.scheduledTotal, ...nothing }
  }
  const { formerType, formerQuantity, unclearUntil, placedAt, tries, heldQuantity, heldType } = standing
  const wasSaid = placedAt !== null || tries > 0
  const held = wasSaid
    ? { heldType: standing.renewalType, heldQuantity: standing.toQuantity }
    : { heldType, heldQuantity }
  return { formerType, formerQuantity, unclearUntil, ...held }
}

/** The asset, its row locked, with the order that stands. */
async function lock(tx: Transaction, { caller, assetId, ifMatch }: Asked) {
  const { customerId } = caller
  const row = found(await readAsset(tx, customerId, assetId, { lock: true }))
  const newest = await store.newestOrder(tx, customerId, assetId)
  const standing = newest?.state === 'STANDING' ? newest : undefined
  const version = versionOf(newest)
  if (isVersion(version, ifMatch)) return { row, standing }
  const by = standing?.actorName ?? 'Somebody'
  const changedAt = standing?.createdAt.getTime()
  const body = serializeRenewal(row, factsOf(row), newest, Date.now())
  throw new Problem(
    'version_mismatch',
    `${by} changed what is ordered for the next term since you read it.`,
    {
      members: {
        current: row.seatsPurchased,
        changedBy: by,
        ...(changedAt === undefined ? {} : { changedAt }),
        etag: entityTag(JSON.stringify(body), version),
      },
    },
  )
}

export function found(row: Awaited<ReturnType<typeof readAsset>>): LicensedRow {
  if (!row) throw new Problem('not_found')
  if (hasLicenses(row)) return row
  throw new Problem('quantity_not_supported', `Assets of type ${row.type} have no licenses.`)
}

/** Leads the ETag of a renewal: the order that stands. */
export function versionOf(newest: store.OrderRow | undefined): string {
  return newest?.state === 'STANDING' ? newest.id : 'none'
}

function isSame(one: Wanted, other: Wanted): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
