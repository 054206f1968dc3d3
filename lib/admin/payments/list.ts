import { listAllPayments } from '#lib/billing/payments/ledger.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'

/** Lists a customer's payments for the operator, who sees all billing profiles. */
export async function listForOperator(
  tx: Transaction,
  customerId: CustomerId,
  options: { unassigned?: boolean; invoice?: string },
) {
  return (await listAllPayments(tx, customerId, options)).map((row) => {
    const { paidOn, kind, amount, currency, reference, payer, parts, credit, reversedOn } = row
    const invoices = parts.map((part) => `${part.wireId}: ${part.amount}`)
    return { date: paidOn, kind, amount, currency, reference, payer, invoices, credit, reversed: reversedOn }
  })
}
