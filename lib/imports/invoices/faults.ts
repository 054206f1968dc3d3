import Big from 'big.js'
import type { ImportProblem } from '../refused.ts'
import type { NewInvoice } from '../shapes.ts'
import type { Seen } from './seen.ts'

/**
 * What makes invoices unfit whatever is stored.
 * @param seen those of the import that came before; these are added to them
 */
export function faultsOf(
  invoices: readonly NewInvoice[],
  profiles: ReadonlySet<string>,
  seen: Seen,
): ImportProblem[] {
  return invoices.flatMap((invoice) => {
    const { number, billingProfileId = 'default', lines, totalAmount, balanceAmount } = invoice
    const subject = `invoice ${number}`
    if (!seen.add(invoice)) return [{ subject, reason: 'is given twice' }]
    if (lines.length === 0) return [{ subject, reason: 'has no lines' }]
    const inexact = Object.entries({ totalAmount, balanceAmount }).find(
      ([, value]) => value && !isExactAsJson(value),
    )
    if (inexact)
      return [{ subject, column: inexact[0], reason: 'has more digits than a JSON number can say' }]
    if (profiles.has(billingProfileId)) return []
    return [
      { subject, column: 'billingProfileId', reason: `there is no billing profile ${billingProfileId}` },
    ]
  })
}

/** Whether the wire's number says this amount to the last digit: a cent that it would lose is refused at the door. */
function isExactAsJson(amount: string): boolean {
  return new Big(Number(amount)).eq(amount)
}
