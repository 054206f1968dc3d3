import {
  type DocumentForm,
  type DocumentState,
  isCreditNote,
  payableAmountOf,
  statusOfIssued,
} from '#lib/billing/invoices/rules.ts'
import type { Party } from '#lib/billing/parties/rules.ts'
import { Exact, payableOf } from '#lib/platform/values/decimals.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import { epcContent, remittanceOf } from './epc.ts'
import { paymentUrlOf } from './payment-url.ts'
import type { CreditTransfer, PaymentInstructions } from './schemas.ts'
import type { Payee } from './store.ts'

/** Invoice with its amounts as exact decimal text; days as `YYYY-MM-DD`. */
type PayableInvoice = {
  number: string
  documentState: DocumentState
  form: DocumentForm
  billingProfileId: string
  currency: string
  totalAmount: string
  balanceAmount: string
  payableAmount: string | null
  dueDate: string
  today: string
}

/**
 * Returns the open balance that the issuer of an invoice is owed, as decimal text; undefined for drafts, voided and paid
 * invoices, credit notes, and summaries of charges, whose number no issuer knows.
 */
function openBalanceOf(invoice: PayableInvoice): string | undefined {
  const status = statusOfIssued(invoice)
  if (status === undefined || status === 'PAID') return undefined
  if (invoice.form !== 'invoice' || isCreditNote(invoice)) return undefined
  const amount = payableOf(payableAmountOf(invoice), invoice.currency)
  return Number(amount) > 0 ? plainAmount(amount, invoice.currency) : undefined
}

/** Returns how an invoice is paid; undefined where nothing is owed, or neither account nor address is known. */
export function serializeInstructions(
  invoice: PayableInvoice,
  payee: Payee | undefined,
): PaymentInstructions | undefined {
  const amount = openBalanceOf(invoice)
  if (amount === undefined || payee === undefined) return undefined
  const { seller, paymentUrl: template } = payee
  const { number, currency, dueDate } = invoice
  const url = template === null ? undefined : paymentUrlOf(template, { number, amount, currency, dueDate })
  if (seller.iban === null && seller.account === null && url === undefined) return undefined
  const epcQrCode = epcOf(seller, { amount, currency, remittance: number })
  return {
    payee: seller.name,
    amount: Number(amount),
    currency,
    reference: number,
    ...present('bank', seller.bank),
    ...present('iban', seller.iban),
    ...present('bic', seller.bic),
    ...present('account', seller.account),
    ...(epcQrCode === undefined ? {} : { epcQrCode }),
    ...(url === undefined ? {} : { paymentUrl: url }),
  }
}

/**
 * Returns one SEPA credit transfer for the open invoices of each billing profile and account, in their order. Credits are
 * not deducted: their issuer decides which invoices they settle.
 * @param sellerOf seller of an invoice
 */
export function serializeCreditTransfers<T extends PayableInvoice>(
  invoices: readonly T[],
  sellerOf: (invoice: T) => Party | undefined,
): CreditTransfer[] {
  const owed = invoices.flatMap((invoice) => {
    const [amount, seller] = [openBalanceOf(invoice), sellerOf(invoice)]
    return amount === undefined || !seller?.iban ? [] : [{ invoice, amount, seller, iban: seller.iban }]
  })
  const groups = Map.groupBy(owed, ({ invoice, seller, iban }) =>
    JSON.stringify([invoice.billingProfileId, invoice.currency, seller.name, iban, seller.bic]),
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { invoice, seller, iban } = first
    const { currency, billingProfileId } = invoice
    const sum = group.reduce((all, one) => all.plus(one.amount), new Exact(0))
    const [amount, reference] = [
      plainAmount(sum.toFixed(), currency),
      remittanceOf(group.map((one) => one.invoice.number)),
    ]
    const epcQrCode = epcOf(seller, { amount, currency, remittance: reference })
    if (epcQrCode === undefined) return []
    return [
      {
        billingProfileId,
        payee: seller.name,
        amount: Number(amount),
        currency,
        reference,
        iban,
        ...present('bic', seller.bic),
        epcQrCode,
        count: group.length,
      },
    ]
  })
}

/** Returns the content of the EPC QR code, which is for EUR only. */
function epcOf(
  { name, iban, bic }: Party,
  { currency, ...payment }: { amount: string; currency: string; remittance: string },
): string | undefined {
  return currency === 'EUR' && iban !== null ? epcContent({ name, iban, bic, ...payment }) : undefined
}

function present<Name extends string>(name: Name, text: string | null) {
  return (text === null ? {} : { [name]: text }) as { [Field in Name]?: string }
}
