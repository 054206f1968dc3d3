import 'server-only'
import type { SeatNote } from '#components/billing/invoice-document/lines-table.tsx'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { checkSeats, type SeatCheckResult, type SeatHistory } from '#lib/costs/seat-check.ts'
import { readSeatHistories } from '#lib/costs/seat-histories.ts'
import { LICENSE_TYPES } from '#lib/licenses/assets/rules.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { moneyText } from '#lib/platform/values/money.ts'

/**
 * Compares each line, and all of them, with the known seats, and returns sentences; empty where no line sells licenses,
 * or the invoice is not issued.
 */
export async function seatNotes(
  caller: Caller,
  { documentState, invoiceDate, currency, lineItems }: InvoiceWithLines,
): Promise<{ lines: (SeatNote | undefined)[]; summary?: SeatNote }> {
  if (documentState !== 'issued') return { lines: [] }
  const types = LICENSE_TYPES.filter((type) => lineItems.some((line) => line.type === type))
  if (types.length === 0) return { lines: [] }
  const seatsByType = new Map<string, SeatHistory[]>()
  for (const type of types) seatsByType.set(type, await readSeatHistories(caller, type))
  const results = lineItems.map((line) => {
    const seats = seatsByType.get(line.type)
    return seats && checkSeats(line, invoiceDate, seats)
  })
  const lines = results.map(
    (result, index) => result && noteOf(result, lineItems[index]?.currency ?? currency),
  )
  // Amounts in another currency are not added.
  const sameCurrency = results.filter((result, index) => result && lineItems[index]?.currency === currency)
  const summary = summaryOf(
    sameCurrency.filter((result) => result !== undefined),
    currency,
  )
  return { lines, ...(summary ? { summary } : {}) }
}

function noteOf(result: SeatCheckResult, currency: string): SeatNote | undefined {
  if (result.kind === 'unknown') return undefined
  const doubt = result.sure ? '' : ' (likely)'
  if (result.kind === 'matches') {
    return { tone: 'ok', text: `Matches the ${count(result.total)} licenses of the period${doubt}` }
  }
  if (result.kind === 'explained') {
    const { at, from, to, by } = result.change
    const who = by === undefined ? '' : ` by ${by}`
    return { tone: 'info', text: `Changed ${count(from)} → ${count(to)} on ${dayText(at)}${who}${doubt}` }
  }
  const { expected, gap, money } = result
  const amount = moneyText(money.replace('-', ''), currency)
  const more = gap > 0 ? 'more' : 'fewer'
  const text = `${count(Math.abs(gap))} ${more} than your ${count(expected)} licenses: ${amount}${doubt}`
  return { tone: 'warn', text }
}

function summaryOf(results: SeatCheckResult[], currency: string): SeatNote | undefined {
  const countOf = (kind: SeatCheckResult['kind']) => results.filter((result) => result.kind === kind).length
  const [matches, explained, unexplained] = [countOf('matches'), countOf('explained'), countOf('unexplained')]
  const all = matches + explained + unexplained
  if (all === 0) return undefined
  const parts = [
    `${count(matches)} of ${lines(all)} ${matches === 1 ? 'matches' : 'match'} your licenses`,
    explained > 0 ? `${count(explained)} ${explained === 1 ? 'differs' : 'differ'} because of a change` : '',
    unexplained > 0 ? `${count(unexplained)} not explained: ${moneyOf(results, currency)}` : '',
  ]
  const text = `${parts.filter(Boolean).join('; ')}.`
  return { tone: unexplained > 0 ? 'warn' : 'ok', text }
}

/** Returns the amounts billed above and below the expected ones, separately: their sum would hide both. */
function moneyOf(results: SeatCheckResult[], currency: string): string {
  const sums = { above: new Exact(0), below: new Exact(0) }
  for (const result of results) {
    if (result.kind !== 'unexplained') continue
    const side = result.gap > 0 ? 'above' : 'below'
    sums[side] = sums[side].plus(new Exact(result.money).abs())
  }
  const money = (sum: { toFixed(): string }) => moneyText(sum.toFixed(), currency)
  const parts = [
    sums.above.gt(0) ? `${money(sums.above)} above` : '',
    sums.below.gt(0) ? `${money(sums.below)} below` : '',
  ]
  return parts.filter(Boolean).join(', ') || 'without money'
}

function lines(number: number): string {
  return number === 1 ? '1 line' : `${count(number)} lines`
}

function count(number: number): string {
  return number.toLocaleString('en')
}
