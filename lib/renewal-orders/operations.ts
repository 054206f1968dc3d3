import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Caller } from '#lib/access/rules.ts'
import { entityTag, isVersion } from '#lib/api/entity-tag.ts'
import { operation } from '#lib/api/operation.ts'
import { errorCode, Problem } from '#lib/api/problem.ts'
import { hasLicenses, type LicensedRow, readAsset } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { readScope, scope } from '#lib/db/scope.ts'
import { actorOf } from '#lib/history/audit.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import * as answers from './answers.ts'
import * as contract from './contract.ts'
import { place } from './placing/place.ts'
import { isOffered, type Wanted, whyNoOrder } from './rules.ts'
import { serializeRenewal } from './serialize.ts'
import * as store from './store.ts'
import { factsOf, setScheduled } from './terms.ts'

export const readRenewal = operation(contract.readRenewal, async (caller, { params }) =>
  readScope(caller, (tx) => read(tx, caller, params.asset_id)),
)

export const orderRenewal = operation(
  contract.orderRenewal,
  async (caller, { params, body, headers }, { requestId }) => {
    const { quantity, renewalType = '' } = body
    const asked = {
      caller,
      assetId: params.asset_id,
      wanted: quantity === undefined ? { renewalType } : { quantity },
      ifMatch: headers?.['if-match'],
      requestId,
    }
    const id = await scope(caller, (tx) => order(tx, asked)).catch(asBusy)
    if (id !== undefined) {
      const placed = await place(caller, { id, assetId: params.asset_id }, requestId).catch(asBusy)
      if (placed.kind === 'rejected') throw new Problem('vendor_rejected', placed.reason)
    }
    return readScope(caller, (tx) => read(tx, caller, params.asset_id))
  },
)

export const withdrawRenewal = operation(
  contract.withdrawRenewal,
  async (caller, { params, headers }, { requestId }) => {
    const { asset_id: assetId } = params
    const asked = { caller, assetId, ifMatch: headers?.['if-match'], requestId }
    const id = await scope(caller, (tx) => withdraw(tx, asked)).catch(asBusy)
    if (id !== undefined) await place(caller, { id, assetId }, requestId).catch(asBusy)
    return readScope(caller, (tx) => read(tx, caller, assetId))
  },
)

async function read(tx: Transaction, { customerId }: Caller, assetId: string) {
  const row = found(await readAsset(tx, customerId, assetId))
  const newest = await store.newestOrder(tx, customerId, assetId)
  return { body: serializeRenewal(row, factsOf(row), newest, Date.now()), version: versionOf(newest) }
}

type Asked = { caller: Caller; assetId: string; ifMatch: string | undefined; requestId: string }

/** @returns the id of an order that its vendor is to be told of; undefined where nothing is left to do */
async function order(tx: Transaction, asked: Asked & { wanted: Wanted }): Promise<string | undefined> {
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
  const isOurs = vendor.books === 'ours'
  const formerType = standing ? standing.formerType : row.renewalType
  const placedVersion = isOurs ? row.seatVersion : undefined
  await store.addOrder(tx, customerId, { id, assetId, wanted, formerType, termEnd, placedVersion, ...by })
  if (!isOurs) return id
  if ('quantity' in wanted)
    await setScheduled(tx, customerId, assetId, { total: wanted.quantity, at: termEnd })
  return undefined
}

/** @returns the id of an order that its vendor is to be told to forget; undefined where nothing is left to do */
async function withdraw(tx: Transaction, asked: Asked): Promise<string | undefined> {
  const { caller, assetId, requestId } = asked
  const { customerId } = caller
  const { row, standing } = await lock(tx, asked)
  if (!standing || standing.takenBackAt) return undefined
  const actor = actorOf(caller)
  if (vendorOf(row).books === 'theirs' && (standing.placedAt || standing.tries > 0)) {
    const now = new Date()
    const { kind, id, name } = actor
    const by = { takenBackByKind: kind, takenBackById: id, takenBackByName: name }
    const note = { takenBackAt: now, ...by, tries: 0, nextLookAt: now }
    await store.noteOrder(tx, customerId, standing.id, note)
    return standing.id
  }
  await store.settleOrder(tx, customerId, standing, 'WITHDRAWN', { actor, requestId })
  if (vendorOf(row).books === 'ours') await setScheduled(tx, customerId, assetId, undefined)
  return undefined
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

function found(row: Awaited<ReturnType<typeof readAsset>>): LicensedRow {
  if (!row) throw new Problem('not_found')
  if (hasLicenses(row)) return row
  throw new Problem('quantity_not_supported', `Assets of type ${row.type} have no licenses.`)
}

function versionOf(newest: store.OrderRow | undefined): string {
  return newest?.state === 'STANDING' ? newest.id : 'none'
}

function isSame(one: Wanted, other: Wanted): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** lock_not_available: somebody else's change holds the row. unique_violation: another order came at this moment. */
function asBusy(error: unknown): never {
  throw ['55P03', '23505'].includes(errorCode(error) ?? '') ? answers.busy() : error
}
