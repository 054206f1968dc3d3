import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { QuantityState } from '#lib/licenses/assets/quantity-rule.ts'
import type { ChangeOutcome, Checked } from '#lib/licenses/license-lists/check.ts'
import type { Target } from '#lib/licenses/license-lists/rules.ts'
import { sumOf } from '#lib/platform/values/money.ts'

/** State of a row: before the confirmation, or `sending` and the result. */
export type RowState =
  | 'waiting'
  | 'checking'
  | Checked['check']
  | 'sending'
  | Exclude<ChangeOutcome, 'stopped'>

/** Row of a list with its check and its result. All of it can be stored in the browser. */
export type ListRow = Target & {
  type: string
  /** Empty until the asset is found. */
  name: string
  quantityState?: QuantityState | undefined
  /** Asset at the time of the check, which the review shows. Not stored once the list is confirmed. */
  item?: AssetListItem | undefined
  /** Assigned licenses. */
  assigned: number
  /** Version that was checked. */
  etag?: string | undefined
  /** Idempotency key of the row. */
  key: string
  state: RowState
  /** Reason of the state; may be empty. */
  reason: string
  requestId?: string | undefined
  /** Time of the result, in epoch milliseconds. */
  at?: number | undefined
}

/** List of totals; its rows may be sent once it is confirmed. */
export type LicenseList = {
  id: string
  madeAt: number
  skipped: number
  confirmed: boolean
  rows: readonly ListRow[]
}

/** States of confirmed rows that are not settled: not sent yet, unknown, or to be retried. */
const OPEN: readonly RowState[] = ['allowed', 'sending', 'unknown', 'lost', 'failed']

export function rowsIn(list: LicenseList, ...states: readonly RowState[]): ListRow[] {
  return list.rows.filter(({ state }) => states.includes(state))
}

export function openRows(list: LicenseList): ListRow[] {
  return list.confirmed ? rowsIn(list, ...OPEN) : []
}

/** Returns the number of rows whose total is as listed. */
export function countAsListed(list: LicenseList): number {
  return rowsIn(list, 'done', 'same').length
}

/** Returns the list with changed values in the row of one asset. */
export function withRow(list: LicenseList, assetId: string, values: Partial<ListRow>): LicenseList {
  return { ...list, rows: list.rows.map((row) => (row.assetId === assetId ? { ...row, ...values } : row)) }
}

function isRow(row: Partial<ListRow> | null): boolean {
  const texts = [row?.assetId, row?.type, row?.name, row?.key, row?.state, row?.reason]
  const numbers = [row?.line, row?.quantity, row?.quantityState ? row.quantityState.purchased : 0]
  return texts.every((text) => typeof text === 'string') && numbers.every(Number.isInteger)
}

/** Returns the changes of rows that can be sent, for `totalsOf`. */
export function changesOf(rows: readonly ListRow[]) {
  return rows.flatMap(({ quantityState, quantity }) => (quantityState ? [{ quantityState, quantity }] : []))
}

/**
 * Longest age of a confirmed list: the service forgets idempotency keys after a day, and then the list is checked
 * again.
 */
const MAX_AGE_MS = 23 * 60 * 60 * 1000

/**
 * Returns a stored list that can be resumed; undefined where there is none, or it is settled or too old. Rows that were
 * being sent may have been applied.
 */
export function resumable(value: unknown, now: number): LicenseList | undefined {
  const list = value as LicenseList | null | undefined
  if (!list?.confirmed || !(now - list.madeAt < MAX_AGE_MS)) return undefined
  // Any script or user could have written to the storage.
  if (!Array.isArray(list.rows) || !list.rows.every(isRow)) return undefined
  const reason = 'The page was left before the answer came.'
  const rows = list.rows.map((row) =>
    row.state === 'sending' ? { ...row, state: 'lost' as const, reason } : row,
  )
  const resumed = { ...list, rows }
  return openRows(resumed).length > 0 ? resumed : undefined
}

/** Returns the list as confirmed: its rows may be sent. */
export function confirmed(list: LicenseList): LicenseList {
  return { ...list, confirmed: true, rows: list.rows.map((row) => ({ ...row, item: undefined })) }
}

/**
 * Returns the costs or savings of rows at the prices last billed, by currency, and the number of rows without a known
 * amount: their price is unknown, or their total is a cap that is not billed.
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
