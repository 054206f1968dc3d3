import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { operatorFor } from '#lib/access/operator.ts'
import type { Caller } from '#lib/access/rules.ts'
import { ImportRefused, MOST_PROBLEMS } from '#lib/api/import-refused.ts'
import { Problem } from '#lib/api/problem.ts'
import { carryOut, totalsOf, totalsText } from '#lib/assets/bulk.ts'
import { readTargets, type Target } from '#lib/assets/targets.ts'
import { env } from '#lib/env.ts'
import { readText } from '#lib/imports/read-text.ts'
import { isConfirmed, needTerminal } from './confirm.ts'
import { type PlannedRow, planOf, setRow } from './license-plan.ts'
import { Interrupted, interruption, note, print } from './outcome.ts'
import { withDatabase } from './session.ts'
import { printRows } from './table.ts'

type Options = { customer: string; dryRun?: boolean; yes?: boolean }

export function addLicenseCommands(program: Command): void {
  const licenses = program.command('licenses').description('Licenses of a customer.')
  licenses
    .command('apply')
    .description(
      'Set the licenses of many assets. Each row is checked first; the same file again changes nothing more.',
    )
    .argument('<file>', 'asset ID and total in each row (tab, comma or semicolon), 250 at most; - is stdin')
    .requiredOption('--customer <id>', 'id or domain of the customer')
    .option('--dry-run', 'check and show each row, and change nothing')
    .option('--yes', 'do not ask before changing')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s admin -- licenses apply totals.csv --customer sunbird --dry-run',
    )
    .action(async (file: string, options: Options, command: Command) => {
      if (!options.dryRun && !options.yes) needTerminal(command, file === '-')
      await withDatabase(apply)(file, options)
    })
}

async function apply(file: string, { customer, dryRun = false, yes = false }: Options): Promise<void> {
  const caller = await operatorFor(customer, ['it-manager'])
  if (!caller) throw new Problem('not_found', `There is no customer "${customer}".`)
  const { signal } = interruption
  const rows = await planOf(caller, await targetsIn(file, signal), signal)
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
  const done = same + (await carryOutAll(caller, allowed))
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

function shown({ line, assetId, name, facts, quantity, check, reason }: PlannedRow) {
  const change = facts ? quantity - facts.purchased : 0
  const sign = change > 0 ? '+' : ''
  const isFinal = check === 'allowed' && facts?.isCommitmentPlan
  return {
    ...{ line: String(line), asset: assetId, name: name || '-' },
    ...{ now: facts ? String(facts.purchased) : '-', target: String(quantity) },
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

function changes(rows: readonly PlannedRow[]) {
  return rows.flatMap(({ facts, quantity }) => (facts ? [{ facts, quantity }] : []))
}

function isWanted(rows: readonly PlannedRow[]): Promise<boolean> {
  const { mustType, committed } = totalsOf(changes(rows))
  if (!mustType) return isConfirmed('Go on? [y/N] ', ['y', 'yes'])
  return isConfirmed(`Type ${committed}, the licenses that can't be lowered again, to go on: `, [
    String(committed),
  ])
}

/** How many rows became what they are listed as. The keys are of this run alone: see docs/licenses.md. */
async function carryOutAll(caller: Caller, rows: readonly PlannedRow[]): Promise<number> {
  const { signal } = interruption
  const run = randomBytes(16).toString('hex')
  const done = new Set<PlannedRow>()
  // A row that stays unknown is looked up many times, and told once.
  const words = new Map<PlannedRow, string>()
  const ask = async (row: PlannedRow) => {
    const { fate, reason } = await setRow(caller, row, `${run}-${row.line}`)
    const word = fate === 'unknown' ? 'not confirmed yet' : fate === 'done' ? 'done' : 'not done'
    if (words.get(row) === word) return false
    words.set(row, word)
    print(`line ${row.line}, ${row.assetId}: ${word}${fate === 'done' ? `, ${row.quantity}` : `. ${reason}`}`)
    if (fate === 'done') done.add(row)
    return fate !== 'unknown'
  }
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {})
  await carryOut(rows, ask, pause, signal)
  return done.size
}

function count(rows: number): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'}`
}
