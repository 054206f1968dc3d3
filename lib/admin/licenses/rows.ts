import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { QuantityFacts } from '#lib/licenses/assets/commitment.ts'
import { readAssetItem } from '#lib/licenses/assets/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { carryOut, inTurns } from '#lib/licenses/license-lists/carry-out.ts'
import { type Checked, checkTarget, type Fate, fateOf } from '#lib/licenses/license-lists/check.ts'
import type { Target } from '#lib/licenses/license-lists/rules.ts'
import { Problem, toProblem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { print } from '../terminal.ts'

/** A row of a list and what is known of it; `reason` says why it can't be set. */
export type ListRow = Target & Omit<Checked, 'error'> & { type: string; name: string; reason: string }

/** Asks for each row what the change would answer, a few at once. Nothing is sent and nothing stored. */
export async function checkedRows(
  caller: Caller,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<ListRow[]> {
  const rows: ListRow[] = targets.map((target) => ({
    ...target,
    type: target.assetId.split('-', 2).join('-'),
    name: '',
    facts: undefined,
    etag: undefined,
    check: 'unchecked',
    reason: '',
  }))
  await inTurns(rows, async (row) => void Object.assign(row, await checked(caller, row)), signal)
  return rows
}

async function checked(caller: Caller, row: ListRow): Promise<Partial<ListRow>> {
  try {
    const { name, type, properties, etag } = await readAssetItem(caller, row.assetId, origin())
    const { Status: status, Plan, Seats } = properties?.subscription ?? {}
    const facts: QuantityFacts | undefined = Seats && {
      status: status ?? '',
      isCommitmentPlan: Plan?.IsCommitmentPlan ?? false,
      purchased: Seats.NumberOfSeats,
      commitmentEnd: Plan?.CommitmentEndTime,
    }
    const { error, ...told } = await checkTarget(row.quantity, { facts, etag }, (version) =>
      ask(caller, row, { etag: version, dryRun: 'true' }),
    )
    return { name, type, ...told, reason: error === undefined ? '' : toProblem(error).message }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') return { reason: toProblem(error).message }
    return { check: 'refused', reason: 'The customer has no asset with this ID.' }
  }
}

const WORDS: Partial<Record<Fate, string>> = {
  done: 'done',
  unknown: 'not confirmed yet',
  lost: 'not known',
}

/** How many rows became what they are listed as. The keys are of this run alone: see docs/licenses.md. */
export async function setRows(
  caller: Caller,
  rows: readonly ListRow[],
  signal: AbortSignal,
): Promise<number> {
  const run = randomBytes(16).toString('hex')
  const done = new Set<ListRow>()
  const unknown = new Set<ListRow>()
  const ask = async (row: ListRow) => {
    const { fate, reason } = await setRow(caller, row, `${run}-${row.line}`)
    // A row that stays unknown is looked up many times, and told once.
    if (fate === 'unknown' && unknown.has(row)) return false
    if (fate === 'unknown') unknown.add(row)
    const word = WORDS[fate] ?? 'not done'
    print(`line ${row.line}, ${row.assetId}: ${word}${fate === 'done' ? `, ${row.quantity}` : `. ${reason}`}`)
    if (fate === 'done') done.add(row)
    return fate !== 'unknown'
  }
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {})
  await carryOut(rows, ask, pause, signal)
  return done.size
}

/** Sets a row's total, unless somebody changed the asset since it was checked. Never throws. */
export async function setRow(
  caller: Caller,
  row: ListRow,
  key: string,
): Promise<{ fate: Fate; reason: string }> {
  try {
    await ask(caller, row, { etag: row.etag, key })
    return { fate: 'done', reason: '' }
  } catch (error) {
    return { fate: fateOf(error, row.quantity), reason: toProblem(error).message }
  }
}

type Asked = { etag: string | undefined; key?: string; dryRun?: 'true' }

function ask(caller: Caller, { assetId, quantity }: Target, { etag, key, dryRun }: Asked) {
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
