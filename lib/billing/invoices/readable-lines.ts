import 'server-only'
import type Big from 'big.js'
import { lineBasisOf, netOfLine, type TaxSums, taxOf } from '#lib/billing/posting/tax.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import type { Column } from '#lib/platform/files/table.ts'
import type { SummedTable } from '#lib/platform/files/workbook.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { Exact, roundMoney } from '#lib/platform/values/decimals.ts'
import { moneyText, plainAmount } from '#lib/platform/values/money.ts'
import { unitName } from '#lib/platform/values/unit-names.ts'
import { type InvoiceLines, invoicesWithLines, type Selected } from './export.ts'
import { itemize } from './itemization.ts'
import type { InvoiceRow, LineItemRow } from './store.ts'

/** Line of an invoice for people, or an amount of its total without a line. Unknown amounts are undefined. */
type ReadableLine = {
  company: string
  invoice: InvoiceRow
  product: string
  details?: string | null
  line?: LineItemRow
  unitPrice?: string | undefined
  net?: Big | undefined
  tax?: Big | undefined
  total?: Big | undefined
}

const money = (
  name: string,
  amount: (row: ReadableLine) => Big | string | undefined,
): Column<ReadableLine> => ({
  name,
  amount: (row) => {
    const value = amount(row)
    return value === undefined ? null : plainAmount(value.toString(), row.invoice.currency)
  },
})

const COLUMNS: readonly Column<ReadableLine>[] = [
  { name: 'Company', width: 24, text: ({ company }) => company },
  { name: 'Invoice number', width: 18, text: ({ invoice }) => invoice.number },
  { name: 'Invoice date', width: 13, day: ({ invoice }) => invoice.invoiceDate },
  { name: 'Product', width: 40, text: ({ product }) => product },
  { name: 'Details', width: 30, text: ({ details }) => details ?? null },
  { name: 'Period from', day: ({ line, invoice }) => (line?.periodStart ?? invoice.periodStart) || null },
  {
    name: 'Period to',
    day: ({ line, invoice }) => {
      const end = line?.periodEnd ?? invoice.periodEnd
      return end ? addDays(end, -1) : null
    },
  },
  { name: 'Quantity', width: 11, number: ({ line }) => line?.qty ?? null },
  { name: 'Unit', width: 11, text: ({ line }) => (line?.unit ? unitName(line.unit, line.type) : null) },
  money('Unit price', ({ unitPrice }) => unitPrice),
  money('Net', ({ net }) => net),
  money('Tax', ({ tax }) => tax),
  money('Total', ({ total }) => total),
  { name: 'Currency', width: 10, text: ({ invoice }) => invoice.currency },
  {
    name: 'Purchase order',
    width: 18,
    text: ({ line, invoice }) => line?.purchaseOrder ?? invoice.purchaseOrder,
  },
  { name: 'Cost center', width: 16, text: ({ line, invoice }) => line?.costCenter ?? invoice.costCenter },
]

/**
 * Returns the line items of a selection as people read them, in its order. The totals of an invoice's rows add up to
 * its total: an amount without a line item is a separate row.
 */
export function readableLinesTable(caller: Caller, selected: Selected): SummedTable<ReadableLine> {
  return {
    columns: COLUMNS,
    batches: streamScope(caller, (tx) => batches(tx, caller, selected)),
    sums: { by: 'Currency', columns: ['Net', 'Tax', 'Total'] },
  }
}

async function* batches(tx: Transaction, caller: Caller, selected: Selected) {
  const profiles = await listBillingProfiles(tx, caller.customerId)
  const names = new Map(profiles.map(({ id, name }) => [id, name]))
  for await (const portion of invoicesWithLines(tx, caller, selected))
    yield portion.flatMap((one) =>
      readableLines(one, names.get(one.invoice.billingProfileId) ?? one.invoice.billingProfileId),
    )
}

function readableLines({ invoice, lines }: InvoiceLines, company: string): ReadableLine[] {
  const { currency } = invoice
  const { amounts, basis } = itemize(invoice, lines)
  const taxes = taxesOf({ invoice, lines })
  const rows = lines.map((line, index): ReadableLine => {
    const amount = new Exact(amounts[index] ?? 0)
    const row = { company, invoice, product: line.description, details: line.details, line }
    // Other currencies are never added to the invoice's.
    if (line.currency !== currency)
      return {
        ...row,
        details: [line.details, moneyText(amount.toFixed(), line.currency)].filter(Boolean).join(' · '),
      }
    const unitPrice = basis === 'line' ? undefined : line.price
    return { ...row, unitPrice, ...(taxes?.[index] ?? { total: amount }) }
  })
  return [...rows, ...restOf({ invoice, lines }, rows).map((rest) => ({ company, invoice, ...rest }))]
}

/** Returns net, tax and total of each line in the invoice's currency; undefined where the invoice has no tax. */
function taxesOf({ invoice, lines }: InvoiceLines) {
  const sums = taxOf(invoice, lines)
  if (!sums) return undefined
  const { currency } = invoice
  const { amounts } = itemize(invoice, lines)
  const basis = lineBasisOf(invoice, lines)
  const taxOfNet = netTaxes(sums, currency)
  return lines.map((line, index) => {
    if (line.currency !== currency) return {}
    const amount = new Exact(amounts[index] ?? 0)
    const net = netOfLine(line, currency, basis)
    const tax = basis?.isGross ? amount.minus(net) : taxOfNet(line, net)
    return { net, tax, total: net.plus(tax) }
  })
}

/**
 * Returns the tax of the next net line, in whole minor units: as stated, or its part of the tax of its rate, which
 * is rounded once and not in each line. 0 for a line without a rate: its tax is a separate row.
 */
function netTaxes({ tax, breakdown }: TaxSums, currency: string) {
  const onlyRate = breakdown.length === 1 ? breakdown[0]?.rate : null
  const isTaxed = !new Exact(tax).eq(0)
  const parts = new Map<string, Big>()
  return ({ taxAmount, taxCategory, taxRate }: LineItemRow, net: Big): Big => {
    if (!isTaxed) return new Exact(0)
    if (taxAmount !== null) return roundMoney(new Exact(taxAmount), currency)
    const rate = taxRate ?? onlyRate ?? '0'
    const key = `${taxCategory} ${rate}`
    const before = parts.get(key) ?? new Exact(0)
    const after = before.plus(net.times(rate).div(100))
    parts.set(key, after)
    return roundMoney(after, currency).minus(roundMoney(before, currency))
  }
}

/** Returns the part of an invoice's total that its rows lack: tax without a line, a rounding, or more. */
function restOf({ invoice, lines }: InvoiceLines, rows: readonly ReadableLine[]) {
  const sums = taxOf(invoice, lines)
  const sum = (amountIn: (row: ReadableLine) => Big | undefined) =>
    rows.reduce<Big>((all, row) => all.plus(amountIn(row) ?? 0), new Exact(0))
  const total = new Exact(invoice.totalAmount).minus(sum((row) => row.total))
  const tax = sums ? new Exact(sums.tax).minus(sum((row) => row.tax)) : undefined
  if (total.eq(0) && (tax === undefined || tax.eq(0))) return []
  if (tax === undefined) return [{ product: 'Not itemized', total }]
  const net = total.minus(tax)
  const product = net.eq(0) ? 'Tax, not itemized' : 'Not itemized'
  return [{ product, net, tax, total }]
}
