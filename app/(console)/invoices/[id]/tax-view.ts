import 'server-only'
import type { CodeView } from '#components/billing/invoice-document/invoice-codes.tsx'
import type { TaxView } from '#components/billing/invoice-document/tax-table.tsx'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { differencesText, taxLabel } from '#lib/billing/posting/format.ts'
import { taxCategoryName, typeName } from '#lib/platform/values/invoice-codes.ts'
import { formatAmount, formatDecimal } from '#lib/platform/values/money.ts'
import { unitName } from '#lib/platform/values/unit-names.ts'

/** An invoice's tax as text: its rows among the sums, the table, and where it does not add up. */
export function toTaxView({ tax, currency, itemization }: InvoiceWithLines) {
  if (!tax) return undefined
  const money = (amount: number) => formatAmount(amount, currency)
  const isNet = tax.netAmount === itemization.lineItemsAmount
  // Rows that do not add up to the total need the note below.
  const fitting = tax.differences ? [] : tax.breakdown
  // A calculated tax that misses the total is no step from the lines to the total.
  const isStep = tax.amountsFrom === 'ISSUER' || !tax.differences
  const groups = fitting.map(({ taxCategory, taxRate, taxAmount }) => ({
    label: taxLabel(taxCategory, taxRate),
    amount: money(taxAmount),
  }))
  const { taxableAmount = 0, taxAmount = 0, totalAmount = 0 } = tax.differences ?? {}
  return {
    sums: isStep
      ? [
          ...(isNet ? [] : [{ label: 'Net', amount: money(tax.netAmount) }]),
          ...(groups.length > 0 ? groups : [{ label: 'Tax', amount: money(tax.taxAmount) }]),
        ]
      : [],
    rows: tax.breakdown.map((row): TaxView => {
      const { taxCategory, taxRate, exemptionReason = '' } = row
      return {
        category: taxCategoryName(taxCategory),
        rate: taxRate === undefined ? '–' : `${formatDecimal(taxRate)} %`,
        taxable: money(row.taxableAmount),
        tax: money(row.taxAmount),
        reason: exemptionReason,
      }
    }),
    note:
      tax.breakdownFrom === 'ISSUER'
        ? 'As reported by the issuer'
        : 'Calculated from the line items: the issuer states no breakdown.',
    differences: differencesText({ taxable: taxableAmount, tax: taxAmount, total: totalAmount }, currency, {
      amountsFrom: tax.amountsFrom,
      from: tax.breakdownFrom,
    }),
  }
}

/** Returns the codes of an invoice with their names, each once. */
export function toCodes({ typeCode, tax, lineItems }: InvoiceWithLines): CodeView[] {
  const units = lineItems.flatMap(({ unit, type }): CodeView[] =>
    unit === undefined ? [] : [{ name: `Unit: ${unitName(unit, type)}`, code: unit, list: 'UN/ECE 20' }],
  )
  const codes: CodeView[] = [
    ...(typeCode === undefined ? [] : [{ name: typeName(typeCode), code: typeCode, list: 'UNTDID 1001' }]),
    ...(tax?.breakdown ?? []).map(({ taxCategory }) => ({
      name: taxCategoryName(taxCategory),
      code: taxCategory,
      list: 'UNTDID 5305',
    })),
    ...units,
  ]
  return [...new Map(codes.map((one) => [`${one.list} ${one.code} ${one.name}`, one])).values()]
}
