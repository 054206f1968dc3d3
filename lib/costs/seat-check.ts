import { DAY_MS } from '#lib/platform/values/days.ts'
import { Exact, roundMoney } from '#lib/platform/values/decimals.ts'
import { billedPeriod, type Period } from './billed-period.ts'

/** Change of a product's seats. `by` is absent where hidden from the reader. */
export type SeatChange = { at: number; from: number; to: number; by?: string | undefined }

/** Seats of one asset over time. Times are epoch milliseconds. */
export type SeatHistory = {
  /** Its names, as an invoice may call it. */
  names: readonly string[]
  /** Licenses now. */
  purchased: number
  /** Before it, nothing is known. */
  since: number
  /** All that moved the seats since then, oldest first. */
  changes: readonly SeatChange[]
}

type Line = {
  description: string
  Details?: string | undefined
  qty: number
  amount: number
  currency: string
}

/**
 * Verdict on a billed quantity by the known seats. `sure` is false where the product was found by part of its name, or
 * among several of one name, or where the line names no period.
 */
export type SeatCheckResult =
  | { kind: 'matches'; sure: boolean; total: number }
  | { kind: 'explained'; sure: boolean; change: SeatChange }
  /** `gap` licenses are billed above the known number, or, if negative, below it; `money` is plain decimal text. */
  | { kind: 'unexplained'; sure: boolean; expected: number; gap: number; money: string }
  /** No product of this name, no whole number, or a time without data. */
  | { kind: 'unknown' }

/**
 * Compares a line of a suite with the seats that we know for its period. The bill is not touched, and where two
 * readings are possible the one that explains it is taken: a bill may count the seats at the start, at the end, or
 * after any change between.
 * @param invoiceDate epoch milliseconds of a day of UTC
 */
export function checkSeats(
  line: Line,
  invoiceDate: number,
  histories: readonly SeatHistory[],
): SeatCheckResult {
  const { qty } = line
  const period = billedPeriod(line.Details, invoiceDate)
  const { assets, exact } = namedBy(line.description, histories)
  const assetsInPeriod = assets.filter(({ since }) => since <= period.to)
  if (assetsInPeriod.length === 0 || !Number.isInteger(qty) || qty < 0) return { kind: 'unknown' }
  const sure = exact && period.isStated && assets.length === 1
  const seatPeriods = assetsInPeriod.map((asset) => within(asset, period))
  const exactly = seatPeriods.find(({ levels }) => levels.length === 1 && levels[0] === qty)
  if (exactly) return { kind: 'matches', sure, total: qty }
  for (const { changes, levels } of seatPeriods) {
    const at = levels.indexOf(qty)
    // The change that set the billed number, or else the first one that changed it.
    const change = at >= 0 ? (changes[at - 1] ?? changes[at]) : undefined
    if (change) return { kind: 'explained', sure, change }
  }
  const together = sum(seatPeriods.map(({ levels }) => levels.at(-1) ?? 0))
  if (seatPeriods.length > 1 && together === qty) return { kind: 'matches', sure: false, total: qty }
  const last = seatPeriods.length > 1 ? together : (seatPeriods[0]?.levels.at(-1) ?? 0)
  return { kind: 'unexplained', sure, expected: last, gap: qty - last, money: moneyOf(line, qty - last) }
}

/** Returns the numbers of seats in force during a period, and the changes between them. */
function within({ purchased, changes }: SeatHistory, { from, to }: Period) {
  const end = to + DAY_MS
  const after = changes.find(({ at }) => at >= end)
  const inside = changes.filter(({ at }) => at >= from && at < end)
  const start = inside[0]?.from ?? after?.from ?? purchased
  return { levels: [start, ...inside.map((change) => change.to)], changes: inside }
}

/** Returns the assets that a line names: by the full name, else by the longest name within the line's text. */
export function namedBy<Asset extends Pick<SeatHistory, 'names'>>(
  description: string,
  candidates: readonly Asset[],
) {
  const text = plain(description)
  const named = candidates.map((asset) => ({
    asset,
    names: asset.names.map(plain).filter((name) => name !== ''),
  }))
  const same = named.filter(({ names }) => names.includes(text))
  if (same.length > 0) return { assets: same.map(({ asset }) => asset), exact: true }
  const lengthOf = (names: string[]) =>
    Math.max(0, ...names.filter((name) => text.includes(name)).map((name) => name.length))
  const longest = Math.max(0, ...named.map(({ names }) => lengthOf(names)))
  const part = longest > 0 ? named.filter(({ names }) => lengthOf(names) === longest) : []
  return { assets: part.map(({ asset }) => asset), exact: false }
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Returns the amount of the unexplained licenses at this line's own price. */
function moneyOf({ amount, qty, currency }: Line, gap: number): string {
  if (qty === 0) return '0'
  return roundMoney(new Exact(amount).times(gap).div(qty), currency).toFixed()
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
