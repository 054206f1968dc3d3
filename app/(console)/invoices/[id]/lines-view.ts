import 'server-only'
import type { SumsView } from '#components/billing/invoice-document/invoice-lines.tsx'
import type { LineView } from '#components/billing/invoice-document/lines-table.tsx'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { itemizationText } from '#lib/billing/invoices/itemization.ts'
import { roundingText, settlementOf } from '#lib/billing/invoices/total-to-balance.ts'
import { describeLine } from '#lib/billing/posting/format.ts'
import { formatAmount, formatDecimal, minorUnit, moneyText } from '#lib/platform/values/money.ts'
import { quantityText } from '#lib/platform/values/unit-names.ts'
import { toLineChargesView } from './charges-view.ts'
import { toTaxView } from './tax-view.ts'

/** Formats an invoice's lines and sums, which the service has added up exactly. */
export function toLinesView(invoice: InvoiceWithLines): { rows: LineView[]; sums: SumsView } {
  const { currency, lineItems, itemization } = invoice
  const isIssued = invoice.documentState === 'issued'
  const { total, adjustment, finer = [], setOff, balance } = settlementOf(invoice)
  const steps = [adjustment, ...finer, ...(setOff ? [setOff] : [])]
  const format = (amount: string | number) => formatAmount(amount, currency)
  const rows = lineItems.map((line, index) => {
    const amount = formatAmount(line.amount, line.currency)
    const charges = toLineChargesView(invoice, line)
    return {
      place: index,
      description: line.description,
      details: line.Details ?? '',
      qty: quantityText(line.qty, line.unit, line.type),
      price: formatDecimal(line.price, minorUnit(line.currency)),
      amount: line.currency === currency ? amount : `${amount} ${line.currency}`,
      posting: describeLine(line, line.currency, invoice, line.amount).join(' · '),
      exact: line.amount,
      ...(line.currency === currency ? {} : { otherCurrency: line.currency }),
      ...(charges ? { charges } : {}),
    }
  })
  const { addsUp, priceReading, lineItemsAmount, notItemizedAmount } = itemization
  const perLine = priceReading === 'PER_LINE'
  const verdict = {
    ...(priceReading ? { basis: perLine ? ('line' as const) : ('unit' as const) } : {}),
    notItemized: notItemizedAmount,
    rounding: itemization.roundingAmount,
    foreign: itemization.otherCurrencyLines,
  }
  return {
    rows,
    sums: {
      perLine,
      lineItems: format(lineItemsAmount),
      notItemized: addsUp ? undefined : format(notItemizedAmount),
      tax: toTaxView(invoice)?.sums ?? [],
      resultText: itemizationText(verdict, currency),
      total: format(total),
      // A draft or a voided one has no balance to explain.
      ...(isIssued
        ? {
            paid: steps.map((one) => ({ ...one, amount: format(one.amount) })),
            balance: { ...balance, amount: moneyText(balance.amount, currency) },
            rounding: roundingText(invoice),
          }
        : {
            paid: [],
            balance: { label: 'Total', amount: moneyText(total, currency) },
            rounding: undefined,
          }),
    },
  }
}
