import { unsettledChanges } from '#lib/identity/access/due-work.ts'
import { readUnsettled } from '#lib/licenses/license-changes/by-hand.ts'
import { isOpen } from '#lib/licenses/license-changes/rules.ts'
import { attemptsOf } from '#lib/licenses/license-changes/store/attempts.ts'
import type { Change } from '#lib/licenses/license-changes/store/changes.ts'
import { findChange } from '#lib/licenses/license-changes/store/list.ts'
import { findPlace, type Place } from '#lib/licenses/vendor-subscriptions.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { auditOf } from '#lib/platform/history/audit.ts'
import { customerNamed } from '../command.ts'
import { type Cell, printRows } from '../table.ts'
import { note, print } from '../terminal.ts'
import { notFound, ownerOf } from './owner.ts'

export type Where = { customer?: string }
export type Listing = Where & { open?: boolean; unclear?: boolean; olderThan?: number; json?: boolean }

/** The changes that wait for their vendor or for a person. */
export async function listChanges({
  customer,
  open,
  unclear,
  olderThan = 0,
  json = false,
}: Listing): Promise<void> {
  const only = customer === undefined ? undefined : (await customerNamed(customer)).customerId
  const rows: (Record<string, Cell> & { since: Date })[] = []
  for (const due of await unsettledChanges(only)) {
    const found = await readUnsettled(due)
    if (!found || found.age < olderThan) continue
    const isWanted = open === unclear || (isOpen(found.change.state) ? open : unclear)
    if (isWanted) rows.push(rowOf(due.customerId, found.change, found.place))
  }
  rows.sort((a, b) => a.since.getTime() - b.since.getTime())
  printRows(rows, { json })
  if (rows.length === 0) note('No such change waits for its vendor or for a person.')
}

function rowOf(customer: CustomerId, change: Change, place: Place | undefined) {
  const { vendor = null, vendorAccount: account = null } = place ?? {}
  const {
    id,
    assetId: asset,
    fromQuantity: from,
    toQuantity: to,
    state,
    createdAt: since,
    actorName: by,
    acknowledgedAt: checked,
  } = change
  return {
    id,
    customer,
    asset,
    vendor,
    account,
    from: String(from),
    to: String(to),
    state,
    since,
    by,
    checked,
  }
}

/** One change with all that is known of it. */
export async function showChange(id: string, { customer }: Where): Promise<void> {
  const customerId = await ownerOf(id, customer)
  const { found, place, attempts, events } = await readScope({ customerId }, async (tx) => {
    const found = await findChange(tx, customerId, id)
    const own = found?.change.vendorSubscriptionId ?? null
    const place = own === null ? undefined : await findPlace(tx, customerId, own)
    return {
      found,
      place,
      attempts: await attemptsOf(tx, customerId, id),
      events: await auditOf(tx, customerId, id),
    }
  })
  if (!found) throw notFound(id)
  const { change } = found
  printRows([rowOf(customerId, change, place)], {})
  if (place) {
    const { vendorCustomerId, subscriptionId, skuId } = place
    print(`\nAt the vendor: customer ${vendorCustomerId}, subscription ${subscriptionId}, SKU ${skuId}`)
  }
  if (change.vendorReason !== null) print(`\n${change.vendorReason}`)
  if (attempts.length > 0) print('\nCalls to the vendor:')
  printRows(
    attempts.map(({ number, at, actorName, quantity, kind, tookMs, vendorRequestId, reason }) => ({
      call: String(number),
      'at (UTC)': secondOf(at),
      by: actorName,
      total: String(quantity),
      answer: kind,
      took: tookMs === null ? null : `${tookMs} ms`,
      'vendor’s id': vendorRequestId,
      reason,
    })),
    {},
  )
  print('\nHistory:')
  printRows(
    events.map(({ at, action, actorName: by, requestId: request, reason }) => ({
      'at (UTC)': secondOf(at),
      action,
      by,
      request,
      reason,
    })),
    {},
  )
}

/** Several things happen within a minute. */
function secondOf(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ')
}
