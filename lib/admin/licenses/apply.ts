import { resolve } from 'node:path'
import { ImportRefused, MOST_PROBLEMS } from '#lib/imports/refused.ts'
import { readText } from '#lib/imports/sources/read-text.ts'
import { type Target, totalsOf, totalsText } from '#lib/licenses/license-lists/rules.ts'
import { readTargets } from '#lib/licenses/license-lists/targets.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { isAgreedTo } from '../confirm.ts'
import { printRows } from '../table.ts'
import { Interrupted, interruption, note } from '../terminal.ts'
import { operatorFor } from './operator.ts'
import { checkedRows, type ListRow, setRows } from './rows.ts'

export type ApplyOptions = { customer: string; dryRun?: boolean; yes?: boolean }

/**
 * Sets the totals of a list, after a check of each row and one question.
 * @throws Problem unless each row is as listed in the end; ImportRefused that names each line that can't be read;
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
  printRows(rows.map(shown), {})
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
  if (!yes && !(await isWanted(allowed))) throw new Problem('invalid_request', 'Nothing was changed.')
  const done = same + (await setRows(caller, allowed, signal))
  const summary = `${done} of ${rows.length} rows are as listed.`
  if (signal.aborted) throw new Interrupted(`Interrupted: ${summary} The same command again goes on.`)
  if (done < rows.length)
    throw new Problem('invalid_request', `${summary} The same file can be applied again.`)
  note(summary)
}

/** @throws ImportRefused that names each line that can't be read */
async function targetsIn(file: string, signal: AbortSignal): Promise<Target[]> {
  let text = ''
  for await (const chunk of readText(file === '-' ? file : resolve(env().callerDir, file), signal)) {
    text += chunk
    if (text.length > LONGEST_LIST)
      throw new ImportRefused([{ reason: 'The file is longer than a list of 250 rows can be.' }])
  }
  const { targets, faults, skipped } = readTargets(text)
  if (faults.length > 0) throw new ImportRefused(faults.slice(0, MOST_PROBLEMS))
  if (skipped > 0) note(`${count(skipped)} without a total ${skipped === 1 ? 'is' : 'are'} left as it is.`)
  return targets
}

const LONGEST_LIST = 1_000_000

function shown({ line, assetId, name, facts, quantity, check, reason }: ListRow) {
  const change = facts ? quantity - facts.purchased : 0
  const sign = change > 0 ? '+' : ''
  const isFinal = check === 'allowed' && facts?.isCommitmentPlan
  return {
    line: String(line),
    asset: assetId,
    name: name || '-',
    now: facts ? String(facts.purchased) : '-',
    target: String(quantity),
    change: facts ? `${sign}${change}` : '-',
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
  return rows.flatMap(({ facts, quantity }) => (facts ? [{ facts, quantity }] : []))
}

function isWanted(rows: readonly ListRow[]): Promise<boolean> {
  const { mustType, committed } = totalsOf(changes(rows))
  if (!mustType) return isAgreedTo('Go on? [y/N] ', ['y', 'yes'])
  return isAgreedTo(`Type ${committed}, the licenses that can't be lowered again, to go on: `, [
    String(committed),
  ])
}

function count(rows: number): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'}`
}
