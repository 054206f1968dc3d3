import { setQuantity } from '#lib/licenses/client.ts'
import { carryOut, patiently, pause } from '#lib/licenses/license-lists/carry-out.ts'
import { outcomeOf } from '#lib/licenses/license-lists/check.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { REQUEST_TIMEOUT_MS } from './check.ts'
import { type ListRow, openRows } from './list.ts'
import type { ListKeeper } from './list-keeper.ts'
import { reasonOf } from './messages.ts'

/**
 * Sends each open row of a confirmed list: with its own idempotency key, so that retries have one effect, and for the
 * version that was checked, so that no other member's change is overwritten. After a stop no more rows are sent.
 */
export async function sendList(keeper: ListKeeper, signal: AbortSignal): Promise<void> {
  const list = keeper.state().list
  if (!list) return
  const send = async (row: ListRow): Promise<boolean> => {
    const before = keeper.state().list?.rows.find(({ assetId }) => assetId === row.assetId) ?? row
    // Recorded before the request is sent: after a crash, the row may have been applied.
    if (before.state !== 'unknown')
      keeper.row(row.assetId, { state: 'sending', reason: '', requestId: undefined })
    const values = await requestTotal(row, signal)
    if (values) keeper.row(row.assetId, { ...values, at: Date.now() })
    else {
      // The member has lost the permission: an earlier request of the row keeps its state.
      keeper.row(row.assetId, { state: before.state, reason: before.reason })
      keeper.stop(true)
    }
    return values?.state !== 'unknown'
  }
  await carryOut(openRows(list), send, (ms) => pause(ms, signal), signal)
}

/** Returns the result of a row; undefined where the member has lost the permission. */
async function requestTotal(row: ListRow, signal: AbortSignal): Promise<Partial<ListRow> | undefined> {
  const { assetId, quantity, key, etag } = row
  const headers = { 'idempotency-key': key, ...(etag === undefined ? {} : { 'if-match': etag }) }
  const input = { params: { asset_id: assetId }, body: { quantity }, headers }
  try {
    await patiently(() => setQuantity(input, AbortSignal.timeout(REQUEST_TIMEOUT_MS)), signal)
    return { state: 'done', reason: '', requestId: undefined }
  } catch (error) {
    const outcome = outcomeOf(error, quantity)
    if (outcome === 'stopped') return undefined
    const requestId = error instanceof ProblemError ? error.more.requestId : undefined
    return { state: outcome, reason: reasonOf(error, row, Date.now()), requestId }
  }
}
