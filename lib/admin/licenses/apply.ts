import { resolve } from 'node:path'
import { ImportError, MAX_PROBLEMS } from '#lib/imports/import-error.ts'
import { readText } from '#lib/imports/sources/read-text.ts'
import { checkList, type ListRow, setRows, summaryOf } from '#lib/licenses/license-lists/apply.ts'
import { Problem } from '#lib/platform/api/problem.ts'
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
  const rows = await rowsIn(file, caller, signal)
  if (signal.aborted) throw new Interrupted('Interrupted: nothing was changed.')
  printRows(rows.map(formatRow), {})
  const allowed = rows.filter((row) => row.check === 'allowed')
  const same = rows.filter(({ check }) => check === 'same').length
  const left = rows.length - allowed.length - same
  const rest = left === 0 ? '' : ` ${count(left)} cannot be set as listed: see why above.`
  if (allowed.length === 0 || dryRun) {
    note(allowed.length === 0 ? `Nothing to change.${rest}` : `${summaryOf(allowed).text}: not done.${rest}`)
    if (left > 0)
      throw new Problem(
        'invalid_request',
        `${count(rows.length - left)} of ${count(rows.length)} are allowed.`,
      )
    return
  }
  note(`${summaryOf(allowed).text}.${rest}`)
  if (!yes && !(await isConfirmed(allowed))) throw new Problem('invalid_request', 'Nothing was changed.')
  const done = same + (await setRows(caller, allowed, signal, printOutcome))
  const summary = `${done} of ${count(rows.length)} ${rows.length === 1 ? 'is' : 'are'} as listed.`
  if (signal.aborted) throw new Interrupted(`Interrupted: ${summary} The same command again goes on.`)
  if (done < rows.length)
    throw new Problem('invalid_request', `${summary} The same file can be applied again.`)
  note(summary)
}

/** @throws ImportError that names each line that can't be read */
async function rowsIn(file: string, caller: Caller, signal: AbortSignal): Promise<ListRow[]> {
  let text = ''
  for await (const chunk of readText(file === '-' ? file : resolve(env().callerDir, file), signal)) {
    text += chunk
    if (text.length > MAX_LIST_LENGTH)
      throw new ImportError([{ reason: 'The file is longer than a list of 250 rows can be.' }])
  }
  const { rows, errors, skipped } = await checkList(caller, text, signal)
  if (errors.length > 0) throw new ImportError(errors.slice(0, MAX_PROBLEMS))
  if (skipped > 0) note(`${count(skipped)} without a total ${skipped === 1 ? 'is' : 'are'} left as it is.`)
  return rows
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

function isConfirmed(rows: readonly ListRow[]): Promise<boolean> {
  const { mustType, committed } = summaryOf(rows)
  if (!mustType) return isAgreedTo('Go on? [y/N] ', ['y', 'yes'])
  return isAgreedTo(`Type ${committed}, the licenses that can't be lowered again, to go on: `, [
    String(committed),
  ])
}

function count(rows: number): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'}`
}

const OUTCOME_LABELS: Partial<Record<string, string>> = {
  done: 'done',
  unknown: 'not confirmed yet',
  lost: 'not known',
}

function printOutcome(
  { line, assetId, quantity }: ListRow,
  { outcome, reason }: { outcome: string; reason: string },
): void {
  const label = OUTCOME_LABELS[outcome] ?? 'not done'
  print(`line ${line}, ${assetId}: ${label}${outcome === 'done' ? `, ${quantity}` : `. ${reason}`}`)
}
