import 'server-only'
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { readAssetItem } from '#lib/licenses/assets/operations.ts'
import type { QuantityState } from '#lib/licenses/assets/quantity-rule.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { carryOut, mapWithConcurrency } from './carry-out.ts'
import { type ChangeOutcome, type Checked, checkTarget, outcomeOf } from './check.ts'
import { type Target, totalsOf, totalsText } from './rules.ts'
import { readTargets, type TargetList } from './targets.ts'

// A list that a program applies. The console's screen does the same in the browser.

/**
 * Reads a list, and checks each row. Sends and stores nothing.
 * @returns no rows where a line can't be read
 */
export async function checkList(
  caller: Caller,
  text: string,
  signal: AbortSignal,
): Promise<Omit<TargetList, 'targets'> & { rows: ListRow[] }> {
  const { targets, errors, skipped } = readTargets(text)
  return { errors, skipped, rows: errors.length > 0 ? [] : await checkedRows(caller, targets, signal) }
}

/** Returns the totals of the rows' changes, and their text for a question. */
export function summaryOf(rows: readonly ListRow[]) {
  const totals = totalsOf(
    rows.flatMap(({ quantityState, quantity }) => (quantityState ? [{ quantityState, quantity }] : [])),
  )
  return { ...totals, text: totalsText(totals) }
}

/** Row of a list with the state of its asset; `reason` explains why the row can't be set. */
export type ListRow = Target & Omit<Checked, 'error'> & { type: string; name: string; reason: string }

/** Checks each row with a dry run, a few in parallel. Sends and stores nothing. */
export async function checkedRows(
  caller: Caller,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<ListRow[]> {
  const rows: ListRow[] = targets.map((target) => ({
    ...target,
    type: target.assetId.split('-', 2).join('-'),
    name: '',
    quantityState: undefined,
    etag: undefined,
    check: 'unchecked',
    reason: '',
  }))
  await mapWithConcurrency(rows, async (row) => void Object.assign(row, await checked(caller, row)), signal)
  return rows
}

async function checked(caller: Caller, row: ListRow): Promise<Partial<ListRow>> {
  try {
    const { name, type, properties, etag } = await readAssetItem(caller, row.assetId, origin())
    const { Status: status, Plan, Seats } = properties?.subscription ?? {}
    const facts: QuantityState | undefined = Seats && {
      status: status ?? '',
      isCommitmentPlan: Plan?.IsCommitmentPlan ?? false,
      purchased: Seats.NumberOfSeats,
      commitmentEnd: Plan?.CommitmentEndTime,
    }
    const { error, ...result } = await checkTarget(row.quantity, { quantityState: facts, etag }, (version) =>
      requestChange(caller, row, { etag: version, dryRun: 'true' }),
    )
    return { name, type, ...result, reason: error === undefined ? '' : toProblem(error).message }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') return { reason: toProblem(error).message }
    return { check: 'refused', reason: 'The customer has no asset with this ID.' }
  }
}

/**
 * Sets the rows, and returns how many reached their total. The idempotency keys are unique to this run: see
 * docs/use/licenses.md.
 * @param report called for each row with its outcome; for an unknown outcome, which is looked up repeatedly, once more
 * when the outcome is known
 */
export async function setRows(
  caller: Caller,
  rows: readonly ListRow[],
  signal: AbortSignal,
  report: (row: ListRow, result: { outcome: ChangeOutcome; reason: string }) => void,
): Promise<number> {
  const run = randomBytes(16).toString('hex')
  const done = new Set<ListRow>()
  const unknown = new Set<ListRow>()
  const sendRow = async (row: ListRow) => {
    const result = await setRow(caller, row, `${run}-${row.line}`)
    if (result.outcome === 'unknown' && unknown.has(row)) return false
    if (result.outcome === 'unknown') unknown.add(row)
    report(row, result)
    if (result.outcome === 'done') done.add(row)
    return result.outcome !== 'unknown'
  }
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {})
  await carryOut(rows, sendRow, pause, signal)
  return done.size
}

/** Sets a row's total, unless the asset was changed since the check. Never throws. */
export async function setRow(
  caller: Caller,
  row: ListRow,
  key: string,
): Promise<{ outcome: ChangeOutcome; reason: string }> {
  try {
    await requestChange(caller, row, { etag: row.etag, key })
    return { outcome: 'done', reason: '' }
  } catch (error) {
    return { outcome: outcomeOf(error, row.quantity), reason: toProblem(error).message }
  }
}

type RequestOptions = { etag: string | undefined; key?: string; dryRun?: 'true' }

function requestChange(caller: Caller, { assetId, quantity }: Target, { etag, key, dryRun }: RequestOptions) {
  const headers = {
    ...(etag === undefined ? {} : { 'if-match': etag }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  const input = { params: { asset_id: assetId }, query: { dryRun }, body: { quantity }, headers }
  return setQuantity(caller, input, origin())
}

function origin() {
  return { requestId: crypto.randomUUID() }
}
