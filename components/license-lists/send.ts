import { Problem } from '#lib/api/problem.ts'
import { setQuantity } from '#lib/license-changes/queries.ts'
import { fateOf } from '#lib/license-lists/fate.ts'
import { carryOut } from '#lib/license-lists/send.ts'
import { LONGEST_ANSWER } from './check.ts'
import { openRows, type PlanRow } from './plan.ts'
import type { Bulk } from './store.ts'
import { reasonOf } from './words.ts'

/**
 * Sends each row of a confirmed plan whose outcome is open: with its own key, so that it has one effect however often
 * it is asked, and for the version that was checked, so that nobody is overwritten. After a stop no more are sent.
 */
export async function sendPlan(bulk: Bulk, signal: AbortSignal): Promise<void> {
  const plan = bulk.state().plan
  if (!plan) return
  const ask = async (row: PlanRow): Promise<boolean> => {
    const before = bulk.state().plan?.rows.find(({ assetId }) => assetId === row.assetId) ?? row
    // Written down before the request leaves: after a crash it is known that it may have.
    if (before.state !== 'unknown')
      bulk.row(row.assetId, { state: 'sending', reason: '', requestId: undefined })
    const values = await sent(row)
    if (values) bulk.row(row.assetId, { ...values, at: Date.now() })
    else {
      // Nothing was heard by who may not ask; what was asked for before stays as it was.
      bulk.row(row.assetId, { state: before.state, reason: before.reason })
      bulk.stop(true)
    }
    return values?.state !== 'unknown'
  }
  await carryOut(openRows(plan), ask, (ms) => pause(ms, signal), signal)
}

/** What became of a row; undefined where the member may not ask any more. */
async function sent(row: PlanRow): Promise<Partial<PlanRow> | undefined> {
  const { assetId, quantity, key, etag } = row
  const headers = { 'idempotency-key': key, ...(etag === undefined ? {} : { 'if-match': etag }) }
  const given = { params: { asset_id: assetId }, body: { quantity }, headers }
  try {
    await setQuantity(given, AbortSignal.timeout(LONGEST_ANSWER))
    return { state: 'done', reason: '', requestId: undefined }
  } catch (error) {
    const fate = fateOf(error, quantity)
    if (fate === 'stopped') return undefined
    const requestId = error instanceof Problem ? error.more.requestId : undefined
    return { state: fate, reason: reasonOf(error, row, Date.now()), requestId }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
  })
}
