import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { NewInvoice } from '../shapes.ts'
import type { changesOf } from './changes.ts'
import { fillsLines } from './differences.ts'
import { overwriteHeads, overwriteInvoices } from './rows.ts'
import { asVoided, completed, headOf, movedTo, type StoredInvoice } from './stored.ts'

type Pair = { invoice: NewInvoice; stored: StoredInvoice }
/** What becomes of invoices that are there. */
type Changed = { moved: readonly Pair[]; redrafted: readonly Pair[]; voided: readonly StoredInvoice[] }
type With = {
  changes: ReturnType<typeof changesOf>
  /** Carries over what the customer has set. */
  carry(invoice: StoredInvoice): StoredInvoice
}

/**
 * Writes over invoices that are there and stay in their place, and keeps how they were. The lines are written with them
 * where they are others, or where something is known of them that was not.
 * @returns the moved ones, in their order, and the drafts
 */
export async function overwriteStored(
  tx: Transaction,
  customerId: CustomerId,
  { moved, redrafted, voided }: Changed,
  { changes, carry }: With,
): Promise<{ heads: StoredInvoice[]; whole: StoredInvoice[] }> {
  const isFilled = moved.map(({ stored, invoice }) => fillsLines(stored, invoice))
  const bare = moved.filter((_, at) => !isFilled[at]).map(({ stored }) => stored)
  const filled = moved.filter((_, at) => isFilled[at])
  await changes.keep([...bare, ...voided].map(headOf))
  await changes.keep([...filled, ...redrafted].map(({ stored }) => stored))
  const heads = moved.map(({ invoice, stored }) => movedTo(stored, invoice))
  const whole = redrafted.map(({ invoice, stored }) => carry(completed(invoice, stored, stored)))
  const alone = heads.filter((_, at) => !isFilled[at])
  await overwriteHeads(tx, customerId, [...alone, ...voided.map((stored) => asVoided(stored))])
  await overwriteInvoices(tx, customerId, [...whole, ...heads.filter((_, at) => isFilled[at])])
  return { heads, whole }
}
