import 'server-only'
import type { ChargesView } from '#components/billing/invoice-document/invoice-charges.tsx'
import type { LineChargesView } from '#components/billing/invoice-document/line-charges.tsx'
import { chargesText, lineDifferenceText, reconciliationText } from '#lib/billing/charges/format.ts'
import type { InvoiceWithLines, LineItem } from '#lib/billing/invoices/contract.ts'
import { formatAmount } from '#lib/platform/values/money.ts'

/** Returns the comparison of an invoice with its charges as text; undefined where no charges are known. */
export function toChargesView({ id, currency, charges }: InvoiceWithLines): ChargesView | undefined {
  if (!charges) return undefined
  const { count, withoutLine, categories = [] } = charges
  const format = (amount: number) => formatAmount(amount, currency)
  const rest = withoutLine
    ? {
        title: `${chargesText(withoutLine.count)} without a line`,
        withoutLine: true,
        count: withoutLine.count,
      }
    : { title: chargesText(count), withoutLine: false, count }
  return {
    invoiceId: id,
    text: reconciliationText(charges, currency),
    agrees: charges.agrees,
    list: rest.count === 0 ? undefined : rest,
    categories: categories.map(({ category, billedAmount, chargesAmount, differenceAmount }) => ({
      category,
      billed: format(billedAmount),
      charges: format(chargesAmount),
      difference: format(differenceAmount),
    })),
  }
}

/** Returns the charges of a line as text; undefined where there are none, and none are expected. */
export function toLineChargesView(
  { id: invoiceId, charges: all }: Pick<InvoiceWithLines, 'id' | 'charges'>,
  { detailId = '', charges, currency, amount }: LineItem,
): LineChargesView | undefined {
  const none = { invoiceId, line: detailId, count: 0, text: '' }
  if (!charges)
    return all?.withoutCharges?.count && amount !== 0
      ? { ...none, apart: 'No charges lead to it' }
      : undefined
  const { count, corrections, agrees, differenceAmount } = charges
  const corrected = corrections.count === 0 ? '' : `, ${correctionsText(corrections.count)} among them`
  return {
    ...{ invoiceId, line: detailId, count, text: `${chargesText(count)}${corrected}` },
    ...(agrees ? {} : { apart: lineDifferenceText(differenceAmount, currency) }),
  }
}

function correctionsText(count: number): string {
  return count === 1 ? '1 correction' : `${count.toLocaleString('en')} corrections`
}
