import 'server-only'
import type { ShownCharges } from '#components/billing/invoice-document/invoice-charges.tsx'
import type { ShownLineCharges } from '#components/billing/invoice-document/line-charges.tsx'
import { chargesText, lineApartText, reconciliationText } from '#lib/billing/charges/words.ts'
import type { InvoiceWithLines, LineItem } from '#lib/billing/invoices/contract.ts'
import { formatAmount } from '#lib/platform/values/money.ts'

/** An invoice beside its charges as text; undefined where none are known. */
export function shownCharges({ id, currency, charges }: InvoiceWithLines): ShownCharges | undefined {
  if (!charges) return undefined
  const { count, withoutLine, categories = [] } = charges
  const shown = (amount: number) => formatAmount(amount, currency)
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
      billed: shown(billedAmount),
      charges: shown(chargesAmount),
      difference: shown(differenceAmount),
    })),
  }
}

/** The charges of a line as text; undefined where none lead to it, and none are to be expected. */
export function shownLineCharges(
  { id: invoiceId, charges: all }: Pick<InvoiceWithLines, 'id' | 'charges'>,
  { detailId = '', charges, currency, amount }: LineItem,
): ShownLineCharges | undefined {
  const none = { invoiceId, line: detailId, count: 0, text: '' }
  if (!charges)
    return all?.withoutCharges?.count && amount !== 0
      ? { ...none, apart: 'No charges lead to it' }
      : undefined
  const { count, corrections, agrees, differenceAmount } = charges
  const corrected = corrections.count === 0 ? '' : `, ${correctionsText(corrections.count)} among them`
  return {
    ...{ invoiceId, line: detailId, count, text: `${chargesText(count)}${corrected}` },
    ...(agrees ? {} : { apart: lineApartText(differenceAmount, currency) }),
  }
}

function correctionsText(count: number): string {
  return count === 1 ? '1 correction' : `${count.toLocaleString('en')} corrections`
}
