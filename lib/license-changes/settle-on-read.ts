import 'server-only'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Origin } from '#lib/api/operation.ts'
import { log } from '#lib/log.ts'
import type { OpenBeside } from './open-change.ts'
import { settleChange } from './settle.ts'

/** A page may hold many open changes: the others have their turn with the next read, or the job. */
const MOST = 4

const running = new Set<string>()

/**
 * Has the vendor asked what became of open changes, because their assets are being read, and they are due. Nobody
 * waits for it: the next read tells. What fails stands in the log.
 */
export function settleOnRead(
  who: { customerId: CustomerId },
  rows: readonly OpenBeside[],
  { requestId }: Origin,
): void {
  const due = rows.flatMap(({ open, isDue }) => (open && isDue && !running.has(open.id) ? [open.id] : []))
  for (const id of due.slice(0, MOST)) {
    running.add(id)
    settleChange(who, id, requestId)
      .catch((error: Error) => {
        // What caused it: the error itself would repeat the statement and its values.
        const reason = String(error.cause ?? error).slice(0, 300)
        log().warn({ requestId, changeId: id, reason }, 'change not settled')
      })
      .finally(() => running.delete(id))
  }
}
