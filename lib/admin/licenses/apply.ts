import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ImportError, MAX_PROBLEMS } from '#lib/imports/import-error.ts'
import { readText } from '#lib/imports/sources/read-text.ts'
import { readAssetItem } from '#lib/licenses/assets/operations.ts'
import type { QuantityState } from '#lib/licenses/assets/rules.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { carryOut, mapWithConcurrency } from '#lib/licenses/license-lists/carry-out.ts'
import {
  type ChangeOutcome,
  type Checked,
  checkTarget,
  outcomeOf,
} from '#lib/licenses/license-lists/check.ts'
import { type Target, totalsOf, totalsText } from '#lib/licenses/license-lists/rules.ts'
import { readTargets } from '#lib/licenses/license-lists/targets.ts'
import { Problem, toProblem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { Interrupted, interruption, isAgreedTo, note, print, printRows } from '../terminal.ts'
import { operatorFor } from './operator.ts'

export type ApplyOptions = { customer: string; dryRun?: boolean; yes?: boolean }

/**
 * Sets the totals of a list, after a check of each row and one question.
 * @throws Problem unless each row is as listed in the end; ImportError that names each line that can't be read;
 * Interrupted by Ctrl-C
 */
export async function applyTotals(
  file: string,
  { customer, dryRun = false, yes = false }: ApplyOptions,
): Promise<void> {
  const caller = await operatorFor(customer, ['it-manager'])
  if (!caller) throw new Problem('not_found', `There is no customer "${customer}".`)
  const { signal } = interruption
  const rows = await checkedRows(caller, await targetsIn(file, signal), signal)
  if (signal.aborted) throw new Interrupted('Interrupted: nothing was changed.')
  printRows(rows.map(formatRow), {})
  const allowed = rows.filter((row) => row.check === 'allowed')
  const same = rows.filter(({ check }) => check === 'same').length
  const left = rows.length - allowed.length - same
  const rest = left === 0 ? '' : ` ${count(left)} can not be set as listed: see why above.`
  if (allowed.length === 0 || dryRun) {
    note(
      allowed.length === 0
        ? `Nothing to change.${rest}`
        : `${totalsText(totalsOf(changes(allowed)))}: not done.${rest}`,
    )
    if (left > 0)
      throw new Problem(
        'invalid_request',
        `${count(rows.length - left)} of ${count(rows.length)} are allowed.`,
      )
    return
  }
  note(`${totalsText(totalsOf(changes(allowed)))}.${rest}`)
  if (!yes && !(await isConfirmed(allowed))) throw new Problem('invalid_request', 'Nothing was changed.')
  const done = same + (await setRows(caller, allowed, signal))
  const summary = `${done} of ${rows.length} rows are as listed.`
  if (signal.aborted) throw new Interrupted(`Interrupted: ${summary} The same command again goes on.`)
  if (done < rows.length)
    throw new Problem('invalid_request', `${summary} The same file can be applied again.`)
  note(summary)
}

/** @throws ImportError that names each line that can't be read */
async function targetsIn(file: string, signal: AbortSignal): Promise<Target[]> {
  let text = ''
  for await (const chunk of readText(file === '-' ? file : resolve(env().callerDir, file), signal)) {
    text += chunk
    if (text.length > MAX_LIST_LENGTH)
      throw new ImportError([{ reason: 'The file is longer than a list of 250 rows can be.' }])
  }
  const { targets, errors, skipped } = readTargets(text)
  if (errors.length > 0) throw new ImportError(errors.slice(0, MAX_PROBLEMS))
  if (skipped > 0) note(`${count(skipped)} without a total ${skipped === 1 ? 'is' : 'are'} left as it is.`)
  return targets
}

const MAX_LIST_LENGTH = 1_000_000

function formatRow({ line, assetId, name, quantityState, quantity, check, reason }: ListRow) {
  const change = quantityState ? quantity - quantityState.purchased : 0
  const sign = change > 0 ? '+' : ''
  const isFinal = check === 'allowed' && quantityState?.isCommitmentPlan
  return {
    line: String(line),
    asset: assetId,
    name: name || '-',
    now: quantityState ? String(quantityState.purchased) : '-',
    target: String(quantity),
    change: quantityState ? `${sign}${change}` : '-',
    check:
      check === 'same'
        ? 'no change'
        : check === 'allowed'
          ? isFinal
            ? "allowed, can't be undone"
            : 'allowed'
          : reason,
  }
}

function changes(rows: readonly ListRow[]) {
  return rows.flatMap(({ quantityState, quantity }) => (quantityState ? [{ quantityState, quantity }] : []))
}

function isConfirmed(rows: readonly ListRow[]): Promise<boolean> {
  const { mustType, committed } = totalsOf(changes(rows))
  if (!mustType) return isAgreedTo('Go on? [y/N] ', ['y', 'yes'])
  return isAgreedTo(`Type ${committed}, the licenses that can't be lowered again, to go on: `, [
    String(committed),
  ])
}

function count(rows: number): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'}`
}

/** Row of a list with the state of its asset; `reason` explains why the row can't be set. */
type ListRow = Target & Omit<Checked, 'error'> & { type: string; name: string; reason: string }

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

const OUTCOME_LABELS: Partial<Record<ChangeOutcome, string>> = {
  done: 'done',
  unknown: 'not confirmed yet',
  lost: 'not known',
}

/**
 * Sets the rows, and returns how many reached their total. The idempotency keys are unique to this run: see
 * docs/licenses.md.
 */
async function setRows(caller: Caller, rows: readonly ListRow[], signal: AbortSignal): Promise<number> {
  const run = randomBytes(16).toString('hex')
  const done = new Set<ListRow>()
  const unknown = new Set<ListRow>()
  const sendRow = async (row: ListRow) => {
    const { outcome, reason } = await setRow(caller, row, `${run}-${row.line}`)
    // A row that stays unknown is looked up repeatedly and reported once.
    if (outcome === 'unknown' && unknown.has(row)) return false
    if (outcome === 'unknown') unknown.add(row)
    const label = OUTCOME_LABELS[outcome] ?? 'not done'
    print(
      `line ${row.line}, ${row.assetId}: ${label}${outcome === 'done' ? `, ${row.quantity}` : `. ${reason}`}`,
    )
    if (outcome === 'done') done.add(row)
    return outcome !== 'unknown'
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
