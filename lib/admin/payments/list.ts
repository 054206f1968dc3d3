import { findKey } from '#lib/billing/invoices/wire-ids.ts'
import { listPayments, type PaymentRow } from '#lib/billing/payments/read.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'

const MAX_ROWS = 10_000

/** Lists a customer's payments for the operator, who sees all billing profiles. */
export async function listForOperator(
  tx: Transaction,
  customerId: CustomerId,
  { unassigned = false, invoice }: { unassigned?: boolean; invoice?: string },
) {
  const billingProfiles = (await listBillingProfiles(tx, customerId)).map(({ id }) => id)
  const owner = { customerId, billingProfiles }
  const key = invoice === undefined ? undefined : await findKey(tx, owner, invoice)
  if (invoice !== undefined && key === undefined)
    throw new Problem('not_found', `There is no invoice "${invoice}".`)
  const filter = {
    ...(unassigned ? { state: ['unassigned'] } : {}),
    ...(key === undefined ? {} : { invoice: [key] }),
  }
  return (await listPayments(tx, owner, { filter }, MAX_ROWS)).map(formatRow)
}

function formatRow({
  paidOn,
  kind,
  amount,
  currency,
  reference,
  payer,
  parts,
  credit,
  reversedOn,
}: PaymentRow) {
  const invoices = parts.map((part) => `${part.wireId}: ${part.amount}`)
  return { date: paidOn, kind, amount, currency, reference, payer, invoices, credit, reversed: reversedOn }
}
