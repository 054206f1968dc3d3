import 'server-only'
import type { Column } from '#lib/platform/files/table.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import type { LinePostingRow, PostingRow } from './columns.ts'

type Invoice = PostingRow & { currency: string }
type Line = LinePostingRow & { currency: string }

const amountOf = (amount: string | null, currency: string) => amount && plainAmount(amount, currency)

/** What an invoice is posted by, a column each; empty where nobody told it. */
export const invoiceColumns: readonly Column<Invoice>[] = [
  { name: 'typeCode', text: ({ typeCode }) => typeCode },
  { name: 'netAmount', amount: ({ netAmount, currency }) => amountOf(netAmount, currency) },
  { name: 'taxAmount', amount: ({ taxAmount, currency }) => amountOf(taxAmount, currency) },
  { name: 'purchaseOrder', text: ({ purchaseOrder }) => purchaseOrder },
  { name: 'buyerReference', text: ({ buyerReference }) => buyerReference },
  { name: 'costCenter', text: ({ costCenter }) => costCenter },
  { name: 'paymentTerms', text: ({ paymentTerms }) => paymentTerms },
  { name: 'sellerCountry', text: ({ sellerCountry }) => sellerCountry },
  { name: 'buyerCountry', text: ({ buyerCountry }) => buyerCountry },
]

/** The same of a line. */
export const lineColumns: readonly Column<Line>[] = [
  { name: 'lineNetAmount', amount: ({ netAmount, currency }) => amountOf(netAmount, currency) },
  { name: 'lineTaxCategory', text: ({ taxCategory }) => taxCategory },
  { name: 'lineTaxRate', number: ({ taxRate }) => taxRate },
  { name: 'lineTaxAmount', amount: ({ taxAmount, currency }) => amountOf(taxAmount, currency) },
  { name: 'linePeriodStart', day: ({ periodStart }) => periodStart },
  // As people write a period: with its last day. The wire's periodEnd is the day after it.
  { name: 'linePeriodLastDay', day: ({ periodEnd }) => periodEnd && addDays(periodEnd, -1) },
  { name: 'lineBillingAccount', text: ({ billingAccount }) => billingAccount },
  { name: 'lineSubAccount', text: ({ subAccount }) => subAccount },
  { name: 'lineUnit', text: ({ unit }) => unit },
  { name: 'linePurchaseOrder', text: ({ purchaseOrder }) => purchaseOrder },
  { name: 'lineCostCenter', text: ({ costCenter }) => costCenter },
  { name: 'lineDetailId', text: ({ detailId }) => detailId },
  { name: 'lineChargeCategory', text: ({ chargeCategory }) => chargeCategory },
  { name: 'linePaymentCurrency', text: ({ paymentCurrency }) => paymentCurrency },
  {
    name: 'linePaymentAmount',
    amount: ({ paymentAmount, paymentCurrency }) => amountOf(paymentAmount, paymentCurrency ?? ''),
  },
]
