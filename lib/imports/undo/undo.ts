import 'server-only'
import { randomUUID } from 'node:crypto'
import { sumsOfMany } from '#lib/billing/invoices/sums/upkeep.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { planAgain, withoutLoops } from '#lib/platform/db/plans.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { undoCharges } from '../charges/store.ts'
import { overwriteHeads, overwriteInvoices } from '../invoices/rows.ts'
import { findLater } from './later.ts'
import { dropAdded, listBefore, listIssuersSet, lockImport, markUndone, voidAdded } from './rows.ts'
import { mayHaveSeen } from './seen.ts'

/** How many invoices were taken away, voided because the customer may have seen them, and put back as they were. */
export type Undone = {
  removed: number
  voided: number
  restored: number
  /** Of how many invoices its charges were taken away; absent: of none. */
  charged?: number
  /** Of whom it wrote down address or bank: that stays, for it may be true all the same. */
  issuers: string[]
}

/**
 * Takes back what an import of invoices did: what it changed is as it was before, and what it added is gone, or voided
 * where the customer may have seen it. The caller holds the lock of the customer's imports.
 * @throws Problem where there is no such import, it was undone, it brought assets, or something later builds on it
 */
export async function undoImport(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  requestId: string = randomUUID(),
): Promise<Undone> {
  const found = await lockImport(tx, customerId, id)
  if (!found) throw new Problem('not_found', `There is no import "${id}" of this customer.`)
  if (found.undoneAt) throw new Problem('invalid_request', `The import ${id} was undone already.`)
  if (found.kind === 'assets')
    throw new Problem(
      'invalid_request',
      'An import of assets can not be undone: their licenses are not ours to take back.',
    )
  const later = await withoutLoops(tx, () => findLater(tx, customerId, found))
  if (later.length > 0) throw new Problem('invalid_request', builtOn(id, later))

  const charged = await undoCharges(tx, customerId, id)
  const isSeen = await mayHaveSeen(tx, customerId, found)
  // First, for of those that are not voided only one may have a number.
  const added = await voidAdded(tx, customerId, id)
  const restored = await restore(tx, customerId, id)
  if (!isSeen) await dropAdded(tx, customerId, id)
  await markUndone(tx, customerId, id)
  const counts = {
    ...{ removed: isSeen ? 0 : added, voided: isSeen ? added : 0, restored },
    ...(charged > 0 ? { charged } : {}),
  }
  const event = { action: 'import.undone', subject: id, actor: OPERATOR, requestId }
  await recordAudit(tx, customerId, { ...event, details: counts })
  return { ...counts, issuers: await listIssuersSet(tx, customerId, id) }
}

/** Last first, so that of what was changed twice the first state stays. */
async function restore(tx: Transaction, customerId: CustomerId, id: string): Promise<number> {
  let restored = 0
  const sums = sumsOfMany(tx, customerId)
  for await (const before of listBefore(tx, customerId, id)) {
    await sums.next()
    await planAgain(tx)
    const whole = before.flatMap(({ lines, ...head }) => (lines ? [{ ...head, lines }] : []))
    await overwriteHeads(
      tx,
      customerId,
      before.filter(({ lines }) => !lines),
    )
    await overwriteInvoices(tx, customerId, whole)
    restored += before.length
  }
  await sums.end()
  return restored
}

function builtOn(id: string, later: Awaited<ReturnType<typeof findLater>>): string {
  const told = later.map(({ invoice, how }) => `invoice ${invoice} ${how}`)
  return [`Something later builds on the import ${id}, so it is not undone:`, ...told].join('\n  ')
}
