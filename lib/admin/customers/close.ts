import { deletedCustomers } from '#lib/identity/access/due-work.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import type { OwnersWork } from '#lib/server/pruning/as-owner.ts'
import { removeCustomer } from '#lib/server/pruning/purge-customers.ts'
import { customerNamed } from '../command.ts'
import { interruption, note, print } from '../terminal.ts'
import { byOwner, type CustomerClosure, readCustomerClosure } from './owners-work.ts'

/** Closes a customer: changes are refused from the next request on, and reads after a number of days. */
export async function closeCustomer(idOrDomain: string, { goneAfter }: { goneAfter: number }): Promise<void> {
  const { customerId, name } = await customerNamed(idOrDomain)
  const removedAt = await byOwner({ alone: [customerId] }, async (owner) => {
    const closure = await readCustomerClosure(owner, customerId)
    if (closure.closedAt) throw new Problem('invalid_request', alreadyClosed(name, closure))
    await rejectOpenChanges(owner, customerId, name)
    await owner.write(
      `UPDATE customers SET closed_at = now(), gone_at = now() + make_interval(days => $2::int), exported_at = NULL
       WHERE id = $1`,
      [customerId, goneAfter],
    )
    const day = (await readCustomerClosure(owner, customerId)).goneAt ?? ''
    await owner.addEvent(customerId, {
      action: 'customer.closed',
      subject: customerId,
      details: { goneAt: day },
    })
    return day
  })
  note(`${name} is closed. Everything can be read until ${removedAt}; nothing can be changed.`)
  note(
    `Its rows are removed after that, once they were exported: customers export ${customerId} --to <folder>`,
  )
}

/** Reopens a closed customer with its previous state. */
export async function reopenCustomer(idOrDomain: string): Promise<void> {
  const { customerId, name } = await customerNamed(idOrDomain)
  await byOwner({ alone: [customerId] }, async (owner) => {
    const { closedAt, goneAt, mergedInto, isGone } = await readCustomerClosure(owner, customerId)
    if (!closedAt) throw new Problem('invalid_request', `${name} is not closed.`)
    if (mergedInto !== null)
      throw new Problem(
        'invalid_request',
        `${name} was merged into ${mergedInto}, which has its keys and members.`,
      )
    if (isGone) throw new Problem('invalid_request', `${name} is gone since ${goneAt}.`)
    await owner.query(
      'UPDATE customers SET closed_at = NULL, gone_at = NULL, exported_at = NULL WHERE id = $1',
      [customerId],
    )
    await owner.addEvent(customerId, { action: 'customer.reopened', subject: customerId })
  })
  note(`${name} is open again.`)
}

function alreadyClosed(name: string, { closedAt, goneAt }: CustomerClosure): string {
  return `${name} is closed since ${closedAt}, and gone after ${goneAt}. To change that, reopen it first.`
}

/** Refuses to close with open changes: their outcome could not be recorded any more. */
async function rejectOpenChanges(owner: OwnersWork, customerId: string, name: string): Promise<void> {
  const open = await owner.query<{ asset: string }>(
    `SELECT asset_id AS asset FROM license_changes
     WHERE customer_id = $1 AND state IN ('CLAIMED', 'SENT', 'UNKNOWN') ORDER BY asset_id LIMIT 20`,
    [customerId],
  )
  if (open.length === 0) return
  const assets = open.map(({ asset }) => asset).join(', ')
  throw new Problem(
    'invalid_request',
    `${name} has changes of licenses whose outcome is not known yet: of ${assets}. See: changes list --customer ${customerId}`,
  )
}

/**
 * Purges closed customers like the nightly job, for installations whose web processes have no access to the database's
 * owner.
 */
export async function purgeClosedCustomers({ dryRun = false }: { dryRun?: boolean }): Promise<void> {
  const { url } = await startDatabase()
  const waiting: string[] = []
  for (const { customerId, isExported } of await deletedCustomers()) {
    interruption.signal.throwIfAborted()
    if (!isExported) waiting.push(customerId)
    else if (dryRun) note(`${customerId} would be removed.`)
    else if (await removeCustomer(url, customerId)) print(customerId)
  }
  if (waiting.length > 0)
    throw new Problem(
      'invalid_request',
      `Not exported since they were closed, and so not removed: ${waiting.join(', ')}.`,
    )
}
