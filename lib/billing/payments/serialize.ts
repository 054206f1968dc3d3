import type { InvoicePayment } from '#lib/billing/invoices/contract.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import type { Payment } from './contract.ts'
import type { InvoicePaymentRow, PaymentRow } from './read.ts'

/** Returns a payment as far as its caller may see it. */
export function serializePayment(row: PaymentRow): Payment {
  const { id, kind, paidOn, currency, amount, credit, isWhole, parts, enteredBy } = row
  return {
    id,
    kind,
    paidDate: epochOfDay(paidOn),
    currency,
    ...(isWhole ? { amount: Number(amount) } : {}),
    ...(isWhole && Number(credit) !== 0 ? { creditAmount: Number(credit) } : {}),
    ...textsOf(row),
    ...(isWhole && row.endToEndId !== null ? { endToEndId: row.endToEndId } : {}),
    ...(isWhole && row.remittance !== null ? { remittance: row.remittance } : {}),
    enteredBy,
    ...reversalOf(row),
    allocations: parts.map((part) => ({
      invoiceId: part.wireId,
      number: part.number,
      amount: Number(part.amount),
      date: epochOfDay(part.bookedOn),
    })),
  }
}

function textsOf({ reference, method, payer, refundOf }: PaymentRow) {
  const texts = { reference, method, payer, refundOf }
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)) as Partial<
    Record<keyof typeof texts, string>
  >
}

function reversalOf({ reversedOn, reversalReason }: Pick<PaymentRow, 'reversedOn' | 'reversalReason'>) {
  return {
    ...(reversedOn === null ? {} : { reversedDate: epochOfDay(reversedOn) }),
    ...(reversalReason === null ? {} : { reversalReason }),
  }
}

/** Returns a payment of an invoice on the wire. */
export function serializeInvoicePayment(row: InvoicePaymentRow): InvoicePayment {
  const { id, kind, amount, bookedOn, reference, method } = row
  return {
    id,
    kind,
    date: epochOfDay(bookedOn),
    amount: Number(amount),
    ...(reference === null ? {} : { reference }),
    ...(method === null ? {} : { method }),
    ...reversalOf(row),
  }
}
