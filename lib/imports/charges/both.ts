import type { Bill } from '../focus/bill.ts'
import { billKey } from '../focus/merge.ts'
import { ImportRefused } from '../refused.ts'

/**
 * The bills of both kinds of files, in their order. What its issuer tells of an invoice holds, and not what its charges
 * would make.
 * @throws ImportRefused where the two of one invoice are in two currencies
 */
export function* billsOfBoth(details: Iterable<Bill>, charges: Iterable<Bill>): Generator<Bill> {
  const summaries = charges[Symbol.iterator]()
  let summary = summaries.next()
  try {
    for (const bill of details) {
      const key = keyOf(bill)
      for (; !summary.done && keyOf(summary.value) < key; summary = summaries.next()) yield summary.value
      if (!summary.done && keyOf(summary.value) === key) {
        if (summary.value.currency !== bill.currency)
          throw new ImportRefused([otherCurrency(bill, summary.value)])
        summary = summaries.next()
      }
      yield bill
    }
    for (; !summary.done; summary = summaries.next()) yield summary.value
  } finally {
    summaries.return?.()
  }
}

function keyOf(bill: Bill): string {
  return billKey(bill, bill.owner)
}

function otherCurrency({ invoiceId = '', currency }: Bill, charges: Bill) {
  const reason = `is in ${currency}, and its charges are in ${charges.currency}`
  return { subject: `invoice ${invoiceId}`, reason }
}
