import 'server-only'
import type { PaymentView } from '#components/billing/invoice-document/payment-table.tsx'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { PAYMENT_KIND_NAMES } from '#lib/billing/payments/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { formatAmount } from '#lib/platform/values/money.ts'

type Entry = InvoiceWithLines['payments'][number]

/** Formats the payments and credits of an invoice, with their signs: below 0 where they lower the balance. */
export function toPaymentsView({
  payments,
  corrects,
  correctedBy,
  currency,
}: InvoiceWithLines): PaymentView[] {
  const format = (amount: number) => formatAmount(-amount, currency)
  const rows = payments.map((payment) => ({
    id: payment.id,
    date: dayText(payment.date),
    name: nameOf(payment),
    details: [payment.reference, payment.method].filter(Boolean).join(' · '),
    reversal: reversalOf(payment),
    amount: format(payment.amount),
  }))
  const credits = correctedBy.flatMap(({ number, setOffAmount }) =>
    setOffAmount ? [creditRow(`Credit note ${number}`, format(setOffAmount))] : [],
  )
  const used = corrects?.setOffAmount
    ? [creditRow(`Set off against ${corrects.number}`, formatAmount(corrects.setOffAmount, currency))]
    : []
  return [...rows, ...credits, ...used]
}

function creditRow(name: string, amount: string): PaymentView {
  return { id: name, date: '', name, details: '', reversal: undefined, amount }
}

function nameOf({ kind, amount }: Entry): string {
  return kind === 'reported' && amount < 0
    ? 'Added after issue, as reported by the issuer'
    : PAYMENT_KIND_NAMES[kind]
}

function reversalOf({ reversedDate, reversalReason }: Entry): string | undefined {
  if (reversedDate === undefined) return undefined
  const day = `Reversed on ${dayText(reversedDate)}`
  return reversalReason === undefined ? day : `${day}: ${reversalReason}`
}
