import 'server-only'
import type { ShownSums } from '#components/billing/invoice-document/invoice-lines.tsx'
import type { ShownLine } from '#components/billing/invoice-document/lines-table.tsx'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { itemizationText } from '#lib/billing/invoices/itemization.ts'
import { roundingText, settlementOf } from '#lib/billing/invoices/total-to-balance.ts'
import { lineFacts } from '#lib/billing/posting/words.ts'
import { formatAmount, formatDecimal, minorUnit, moneyText } from '#lib/platform/values/money.ts'
import { shownLineCharges } from './shown-charges.ts'
import { shownTax } from './shown-tax.ts'

/** An invoice's lines and sums as text: what the service has added up exactly. */
export function shownLines(invoice: InvoiceWithLines): { rows: ShownLine[]; sums: ShownSums } {
  const { currency, lineItems, itemization } = invoice
  const isIssued = invoice.documentState === 'issued'
  const { total, settled, finer = [], setOff, balance } = settlementOf(invoice)
  const steps = [settled, ...finer, ...(setOff ? [setOff] : [])]
  const shown = (amount: string | number) => formatAmount(amount, currency)
  const rows = lineItems.map((line, place) => {
    const amount = formatAmount(line.amount, line.currency)
    const charges = shownLineCharges(invoice, line)
    return {
      place,
      description: line.description,
      details: line.Details ?? '',
      qty: formatDecimal(line.qty),
      price: formatDecimal(line.price, minorUnit(line.currency)),
      amount: line.currency === currency ? amount : `${amount} ${line.currency}`,
      posting: lineFacts(line, line.currency, invoice, line.amount).join(' · '),
      exact: line.amount,
      ...(line.currency === currency ? {} : { otherCurrency: line.currency }),
      ...(charges ? { charges } : {}),
    }
  })
  const { addsUp, priceReading, lineItemsAmount, notItemizedAmount } = itemization
  const perLine = priceReading === 'PER_LINE'
  const verdict = {
    ...(priceReading ? { reading: perLine ? ('line' as const) : ('unit' as const) } : {}),
    notItemized: notItemizedAmount,
    rounding: itemization.roundingAmount,
    foreign: itemization.otherCurrencyLines,
    tax: itemization.taxAmount,
    ...(itemization.lineAmountBasis ? { basis: itemization.lineAmountBasis } : {}),
  }
  return {
    rows,
    sums: {
      perLine,
      lineItems: shown(lineItemsAmount),
      notItemized: addsUp ? undefined : shown(notItemizedAmount),
      tax: shownTax(invoice)?.sums ?? [],
      verdict: itemizationText(verdict, currency),
      total: shown(total),
      // A draft or a voided one has no balance to explain.
      ...(isIssued
        ? {
            settled: steps.map((one) => ({ ...one, amount: shown(one.amount) })),
            balance: { ...balance, amount: moneyText(balance.amount, currency) },
            rounding: roundingText(invoice),
          }
        : {
            settled: [],
            balance: { label: 'Total', amount: moneyText(total, currency) },
            rounding: undefined,
          }),
    },
  }
}
