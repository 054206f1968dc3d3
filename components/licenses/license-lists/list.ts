import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { QuantityState } from '#lib/licenses/assets/rules.ts'
import type { ChangeOutcome, Checked } from '#lib/licenses/license-lists/check.ts'
import type { Target } from '#lib/licenses/license-lists/rules.ts'
import { sumOf } from '#lib/platform/values/money.ts'

/** Where a row stands: before the confirmation, or `sending` and what became of it. */
export type RowState =
  | 'waiting'
  | 'checking'
  | Checked['check']
  | 'sending'
  | Exclude<ChangeOutcome, 'stopped'>

/** A row of a list and what is known of it. All of it can be kept in the browser. */
export type ListRow = Target & {
  type: string
  /** Empty until the asset is found. */
  name: string
  quantityState?: QuantityState | undefined
  /** The asset as it was checked: what its review tells. Not kept once the list is confirmed. */
  item?: AssetListItem | undefined
  /** Licenses in use. */
  assigned: number
  /** The version that was checked. */
  etag?: string | undefined
  /** Asked again with it, the row has one effect. */
  key: string
  state: RowState
  /** Why it is as it is, where there is something to say. */
  reason: string
  requestId?: string | undefined
  /** When its fate was known, in epoch milliseconds. */
  at?: number | undefined
}

/** A list that was read; once it is confirmed, its rows may be sent. */
export type LicenseList = {
  id: string
  madeAt: number
  skipped: number
  confirmed: boolean
  rows: readonly ListRow[]
}

/** Confirmed rows whose fate is to come: not sent yet, not known, or to be tried again. */
const OPEN: readonly RowState[] = ['allowed', 'sending', 'unknown', 'lost', 'failed']

export function rowsIn(list: LicenseList, ...states: readonly RowState[]): ListRow[] {
  return list.rows.filter(({ state }) => states.includes(state))
}

export function openRows(list: LicenseList): ListRow[] {
  return list.confirmed ? rowsIn(list, ...OPEN) : []
}

/** How many rows are as listed. */
export function asListed(list: LicenseList): number {
  return rowsIn(list, 'done', 'same').length
}

/** The list with other values in the row of one asset. */
export function withRow(list: LicenseList, assetId: string, values: Partial<ListRow>): LicenseList {
  return { ...list, rows: list.rows.map((row) => (row.assetId === assetId ? { ...row, ...values } : row)) }
}

function isRow(row: Partial<ListRow> | null): boolean {
  const texts = [row?.assetId, row?.type, row?.name, row?.key, row?.state, row?.reason]
  const numbers = [row?.line, row?.quantity, row?.quantityState ? row.quantityState.purchased : 0]
  return texts.every((text) => typeof text === 'string') && numbers.every(Number.isInteger)
}

/** What rows that can be sent would change, for `totalsOf`. */
export function changesOf(rows: readonly ListRow[]) {
  return rows.flatMap(({ quantityState, quantity }) =>
    quantityState ? [{ quantityState, quantity }] : [],
  )
}

/** Their keys are forgotten by the service after a day: then a list is checked anew. */
const MAX_AGE_MS = 23 * 60 * 60 * 1000

/**
 * A kept list as it can be gone on with: undefined where there is none, or it is finished or too old. What was being
 * sent may have been done.
 */
export function resumable(value: unknown, now: number): LicenseList | undefined {
  const list = value as LicenseList | null | undefined
  if (!list?.confirmed || !(now - list.madeAt < MAX_AGE_MS)) return undefined
  // Anybody could have written there.
  if (!Array.isArray(list.rows) || !list.rows.every(isRow)) return undefined
  const reason = 'The page was left before the answer came.'
  const rows = list.rows.map((row) =>
    row.state === 'sending' ? { ...row, state: 'lost' as const, reason } : row,
  )
  const resumed = { ...list, rows }
  return openRows(resumed).length > 0 ? resumed : undefined
}

/** The list with the word that its rows may be sent. */
export function confirmed(list: LicenseList): LicenseList {
  return { ...list, confirmed: true, rows: list.rows.map((row) => ({ ...row, item: undefined })) }
}

/**
 * What rows cost or save together at the prices last billed, by currency, and for how many that can't be said: no
 * price is known, or the total is a cap and no bill.
 */
export function moneyOf(
  rows: readonly ListRow[],
  prices: Record<string, { price: string; currency: string }>,
) {
  const parts = new Map<string, [price: string, times: number][]>()
  let unpriced = 0
  for (const { assetId, quantity, quantityState, item } of rows) {
    const last = prices[assetId]
    if (!last || !quantityState || item?.vendor?.quantityIsCap) unpriced += 1
    else {
      const amounts = parts.get(last.currency) ?? []
      parts.set(last.currency, [...amounts, [last.price, quantity - quantityState.purchased]])
    }
  }
  return {
    amounts: [...parts].map(([currency, amounts]) => ({ currency, amount: sumOf(amounts) })),
    unpriced,
  }
}
