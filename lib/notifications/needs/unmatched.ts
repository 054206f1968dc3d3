import 'server-only'
import { itemize } from '#lib/billing/invoices/itemization.ts'
import { readInvoice } from '#lib/billing/invoices/store.ts'
import { knownSeatsIn } from '#lib/costs/known-seats.ts'
import type { NewestLine } from '#lib/costs/license-prices/store.ts'
import { type KnownSeats, type SeatVerdict, seatVerdict } from '#lib/costs/seat-verdict.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import type { UnmatchedLines } from './rules.ts'

type Who = Pick<Caller, 'customerId' | 'roles' | 'billingProfiles'>

/**
 * The lines of the newest invoices that bill other licenses than are known, by the verdict that stands on the invoice's
 * page. Most invoices have none: then their lines are read once, and no more is asked of them.
 */
export async function unmatchedLines(
  tx: Transaction,
  who: Who,
  lines: readonly NewestLine[],
  mostDays: number,
): Promise<UnmatchedLines[]> {
  const found: UnmatchedLines[] = []
  const recent = lines.filter(({ isHistory, age, type, platform }) => {
    return !isHistory && age <= mostDays && type === platform
  })
  for (const [id, own] of Map.groupBy(recent, ({ invoiceId }) => invoiceId)) {
    const [first] = own
    if (!first) continue
    const known = await knownSeatsIn(tx, who, first.platform)
    // Whether a line is explained is a matter of its quantity: what it comes to is asked where it is not.
    const quick = own.map((line) => ({ ...line, amount: '0' }))
    if (verdictsOf(quick, first, known).length === 0) continue
    const invoice = await readInvoice(tx, who, id)
    if (!invoice) continue
    const { amounts } = itemize(invoice.invoice, invoice.lines)
    const whole = invoice.lines
      .map((line, index) => ({ ...line, amount: amounts[index] ?? '0' }))
      .filter(({ type }) => type === first.platform)
    const verdicts = verdictsOf(whole, first, known)
    const amount = verdicts.reduce((sum, { money }) => sum.plus(money), new Exact(0)).toFixed()
    const { number, invoiceDate: day, invoiceCurrency: currency } = first
    found.push({ invoice: { id, number, day }, count: verdicts.length, amount, currency })
  }
  return found
}

type Line = { description: string; details: string | null; qty: string; amount: string; currency: string }

/** Those of the invoice's own currency: money of another one is not added to it. */
function verdictsOf(
  lines: readonly Line[],
  { invoiceDate, invoiceCurrency }: NewestLine,
  known: readonly KnownSeats[],
) {
  return lines
    .filter(({ currency }) => currency === invoiceCurrency)
    .map(({ description, details, qty, amount, currency }) => {
      const told = details === null ? {} : { Details: details }
      const line = { description, ...told, qty: Number(qty), amount: Number(amount), currency }
      return seatVerdict(line, epochOfDay(invoiceDate), known)
    })
    .filter(
      (verdict): verdict is Extract<SeatVerdict, { kind: 'unexplained' }> => verdict.kind === 'unexplained',
    )
}
