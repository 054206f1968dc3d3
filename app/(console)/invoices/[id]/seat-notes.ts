import 'server-only'
import type { SeatNote } from '#components/billing/invoice-document/lines-table.tsx'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { knownSeats } from '#lib/costs/known-seats.ts'
import { type KnownSeats, type SeatVerdict, seatVerdict } from '#lib/costs/seat-verdict.ts'
import { LICENSE_TYPES } from '#lib/licenses/assets/rules.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { moneyText } from '#lib/platform/values/money.ts'

/** What the known seats say of each line, in words, and of all of them; empty where no line sells licenses, or nothing is issued. */
export async function seatNotes(
  caller: Caller,
  { documentState, invoiceDate, currency, lineItems }: InvoiceWithLines,
): Promise<{ lines: (SeatNote | undefined)[]; summary?: SeatNote }> {
  if (documentState !== 'issued') return { lines: [] }
  const types = LICENSE_TYPES.filter((type) => lineItems.some((line) => line.type === type))
  if (types.length === 0) return { lines: [] }
  const known = new Map<string, KnownSeats[]>()
  for (const type of types) known.set(type, await knownSeats(caller, type))
  const verdicts = lineItems.map((line) => {
    const facts = known.get(line.type)
    return facts && seatVerdict(line, invoiceDate, facts)
  })
  const lines = verdicts.map(
    (verdict, index) => verdict && noteOf(verdict, lineItems[index]?.currency ?? currency),
  )
  // Money of another currency is not added to it.
  const own = verdicts.filter((verdict, index) => verdict && lineItems[index]?.currency === currency)
  const summary = summaryOf(
    own.filter((verdict) => verdict !== undefined),
    currency,
  )
  return { lines, ...(summary ? { summary } : {}) }
}

function noteOf(verdict: SeatVerdict, currency: string): SeatNote | undefined {
  if (verdict.kind === 'unknown') return undefined
  const doubt = verdict.sure ? '' : ' (likely)'
  if (verdict.kind === 'matches') {
    return { tone: 'ok', text: `Matches the ${count(verdict.total)} licenses of the period${doubt}` }
  }
  if (verdict.kind === 'explained') {
    const { at, from, to, by } = verdict.change
    const who = by === undefined ? '' : ` by ${by}`
    return { tone: 'info', text: `Changed ${count(from)} → ${count(to)} on ${dayText(at)}${who}${doubt}` }
  }
  const { known, gap, money } = verdict
  const amount = moneyText(money.replace('-', ''), currency)
  const more = gap > 0 ? 'more' : 'fewer'
  const text = `${count(Math.abs(gap))} ${more} than the ${count(known)} that we know: ${amount}${doubt}`
  return { tone: 'warn', text }
}

function summaryOf(verdicts: SeatVerdict[], currency: string): SeatNote | undefined {
  const of = (kind: SeatVerdict['kind']) => verdicts.filter((verdict) => verdict.kind === kind).length
  const [matches, explained, unexplained] = [of('matches'), of('explained'), of('unexplained')]
  if (matches + explained + unexplained === 0) return undefined
  const parts = [
    matches > 0 ? `${lines(matches)} ${matches === 1 ? 'matches' : 'match'} the licenses that we know` : '',
    explained > 0 ? `${lines(explained)} ${explained === 1 ? 'is' : 'are'} explained by a change` : '',
    unexplained > 0
      ? `${lines(unexplained)} ${unexplained === 1 ? 'is' : 'are'} not explained: ${moneyOf(verdicts, currency)}`
      : '',
  ]
  const text = `Licenses: ${parts.filter(Boolean).join('; ')}.`
  return { tone: unexplained > 0 ? 'warn' : 'ok', text }
}

/** What is billed above, and what below: set off against each other they would hide. */
function moneyOf(verdicts: SeatVerdict[], currency: string): string {
  const sums = { above: new Exact(0), below: new Exact(0) }
  for (const verdict of verdicts) {
    if (verdict.kind !== 'unexplained') continue
    const side = verdict.gap > 0 ? 'above' : 'below'
    sums[side] = sums[side].plus(new Exact(verdict.money).abs())
  }
  const shown = (sum: { toFixed(): string }) => moneyText(sum.toFixed(), currency)
  const parts = [
    sums.above.gt(0) ? `${shown(sums.above)} above` : '',
    sums.below.gt(0) ? `${shown(sums.below)} below` : '',
  ]
  return parts.filter(Boolean).join(', ') || 'without money'
}

function lines(number: number): string {
  return number === 1 ? '1 line' : `${count(number)} lines`
}

function count(number: number): string {
  return number.toLocaleString('en')
}
