import { type ChargeSet, type LineReconciliation, reconcile } from '#lib/billing/charges/reconciliation.ts'
import { serializeLineReconciliation, serializeReconciliation } from '#lib/billing/charges/serialize.ts'
import { serializeFiles } from '#lib/billing/invoice-files/serialize.ts'
import type { StoredFile } from '#lib/billing/invoice-files/store.ts'
import { serializeInstructions } from '#lib/billing/payment-instructions/serialize.ts'
import type { Payee } from '#lib/billing/payment-instructions/store.ts'
import type { InvoicePaymentRow } from '#lib/billing/payments/read.ts'
import { serializeInvoicePayment } from '#lib/billing/payments/serialize.ts'
import { serializeLinePosting, serializePosting } from '#lib/billing/posting/serialize.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { summed } from '#lib/platform/values/decimals.ts'
import { toJsonNumber } from '#lib/platform/values/numbers.ts'
import type { CurrencySummary, Invoice, InvoiceSummary, InvoiceWithLines, LineItem } from './contract.ts'
import type { DocumentLinks, Link } from './document-links.ts'
import { itemize } from './itemization.ts'
import { statusOfIssued } from './rules.ts'
import type { InvoiceRow, InvoiceSummaryRow, LineItemRow } from './store.ts'
import type { Billed, OutstandingSums, Sums } from './sums/summary.ts'

/** spec 2.3. `baseUrl` is the console's public address, without a trailing slash. */
export function serializeInvoice(row: InvoiceSummaryRow, baseUrl: string): Invoice {
  const status = statusOfIssued(row)
  return {
    id: row.wireId,
    number: row.number,
    issuer: row.issuer,
    documentState: row.documentState,
    billingProfileId: row.billingProfileId,
    invoiceDate: epochOfDay(row.invoiceDate),
    platform: row.platform,
    dueDate: epochOfDay(row.dueDate),
    ...(status ? { status } : {}),
    totalAmount: toJsonNumber(row.totalAmount),
    balanceAmount: toJsonNumber(row.balanceAmount),
    ...(row.payableAmount === null ? {} : { payableAmount: toJsonNumber(row.payableAmount) }),
    currency: row.currency,
    url: `${baseUrl}/billing/v1/invoices/${encodeURIComponent(row.wireId)}/file`,
  }
}

export function serializeInvoiceWithLines(
  row: InvoiceRow,
  lines: LineItemRow[],
  {
    links,
    files,
    set,
    payee,
    payments,
  }: {
    links: DocumentLinks
    files: readonly StoredFile[]
    set?: ChargeSet | undefined
    payee?: Payee | undefined
    payments: readonly InvoicePaymentRow[]
  },
  baseUrl: string,
): InvoiceWithLines {
  const { basis, amounts, lineItems, notItemized, rounding, foreign, tax, amountBasis } = itemize(row, lines)
  const invoice = serializeInvoice(row, baseUrl)
  const billed = lines.map((line, index) => ({ ...line, amount: amounts[index] ?? '0' }))
  const reconciliation =
    set?.currency === row.currency ? reconcile({ ...row, lines: billed }, set) : undefined
  const paymentInstructions = serializeInstructions(row, payee)
  return {
    ...invoice,
    lineItems: billed.map((line, index) => serializeLineItem(line, reconciliation?.lines?.[index])),
    itemization: {
      addsUp: basis !== undefined,
      ...(basis ? { priceReading: basis === 'line' ? 'PER_LINE' : 'PER_UNIT' } : {}),
      lineItemsAmount: toJsonNumber(lineItems),
      notItemizedAmount: toJsonNumber(notItemized),
      roundingAmount: toJsonNumber(rounding),
      otherCurrencyLines: foreign,
      ...(tax === undefined ? {} : { taxAmount: toJsonNumber(tax) }),
      ...(amountBasis ? { lineAmountBasis: amountBasis } : {}),
    },
    files: serializeFiles(row.wireId, files, invoice.url),
    payments: payments.map(serializeInvoicePayment),
    ...serializeDocument(row, links),
    ...serializePosting(row, lines),
    ...(reconciliation ? { charges: serializeReconciliation(reconciliation) } : {}),
    ...(paymentInstructions ? { paymentInstructions } : {}),
  }
}

/**
 * Returns the document fields. The number of a corrected invoice is printed on the correction; the other links are
 * visible only to callers with access to them.
 */
function serializeDocument(row: InvoiceRow, { corrects, correctedBy, replaces, replacedBy }: DocumentLinks) {
  const { form, billingAccount, periodStart, periodEnd } = row
  return {
    form,
    ...(billingAccount === null ? {} : { billingAccount }),
    ...(periodStart === null ? {} : { periodStart: epochOfDay(periodStart) }),
    ...(periodEnd === null ? {} : { periodEnd: epochOfDay(periodEnd) }),
    ...(row.corrects === null
      ? {}
      : {
          corrects: {
            number: row.corrects,
            ...(corrects ? { id: corrects.id, ...setOffOf(corrects) } : {}),
          },
        }),
    correctedBy: correctedBy.map((link) => ({ number: link.number, id: link.id, ...setOffOf(link) })),
    ...(replaces ? { replaces: replaces.id } : {}),
    ...(replacedBy ? { replacedBy: replacedBy.id } : {}),
  }
}

/** Returns the amount that is set off, if there is one. */
function setOffOf({ setOff = '0' }: Link) {
  return Number(setOff) > 0 ? { setOffAmount: toJsonNumber(setOff) } : {}
}

function serializeLineItem(
  row: LineItemRow & { amount: string },
  reconciliation: LineReconciliation | undefined,
): LineItem {
  return {
    type: row.type,
    description: row.description,
    price: toJsonNumber(row.price),
    qty: toJsonNumber(row.qty),
    currency: row.currency,
    ...(row.details === null ? {} : { Details: row.details }),
    amount: toJsonNumber(row.amount),
    ...serializeLinePosting(row),
    ...(reconciliation ? { charges: serializeLineReconciliation(reconciliation) } : {}),
  }
}

/** Sums per currency, the one with the most invoices first; the rows come by currency, month and platform. */
export function serializeSummary({ today, billed, outstanding }: Sums): InvoiceSummary {
  const currencies = billed
    .filter(({ month }) => month === null)
    .map((whole) => {
      const monthRows = billed.filter(({ currency, month }) => currency === whole.currency && month !== null)
      const open = outstanding.find(({ currency }) => currency === whole.currency)
      return serializeCurrency(whole, monthRows, open)
    })
    .sort((a, b) => b.count - a.count)
  const count = currencies.reduce((all, one) => all + one.count, 0)
  return { count, today: epochOfDay(today), currencies }
}

function serializeCurrency(
  whole: Billed,
  monthRows: Billed[],
  open: OutstandingSums | undefined,
): CurrencySummary {
  const part = (count = 0, amount = '0') => ({ count, ...summed('amount', amount) })
  const months = monthRows.filter(({ platform }) => platform === null)
  const platforms = Map.groupBy(monthRows, ({ month }) => month)
  return {
    currency: whole.currency,
    ...billedOf(whole),
    ...summed('balanceAmount', open?.balance ?? '0'),
    outstanding: part(open?.due_count, open?.due),
    credit: part(open?.credit_count, open?.credit),
    pastDue: {
      ...part(open?.late_count, open?.late),
      ...(open?.late_since ? { oldestDueDate: epochOfDay(open.late_since) } : {}),
    },
    dueIn30Days: {
      ...part(open?.soon_count, open?.soon),
      ...(open?.soon_from ? { firstDueDate: epochOfDay(open.soon_from) } : {}),
    },
    months: months.map((row) => ({
      month: epochOfDay(row.month ?? ''),
      ...billedOf(row),
      platforms: (platforms.get(row.month) ?? []).flatMap((one) =>
        one.platform === null ? [] : [{ platform: one.platform, ...billedOf(one) }],
      ),
    })),
  }
}

function billedOf({ count, total }: Billed) {
  return { count, ...summed('totalAmount', total) }
}
