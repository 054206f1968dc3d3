import 'server-only'
import { digestOf, storeFile } from '#lib/billing/invoice-files/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { walkFiles } from './input-files.ts'
import type { AttachmentPlan } from './plan.ts'

/**
 * Stores the new documents of a plan with an audit row each, in this transaction: all or nothing. Reads each file
 * again.
 * @param paths paths of the plan
 * @throws Problem where a file has changed since the plan, or another operator has attached another document in the
 * meantime
 * @returns the number of stored documents
 */
export async function attachDocuments(
  tx: Transaction,
  customerId: CustomerId,
  {
    paths,
    plan,
    requestId,
    signal,
  }: { paths: readonly string[]; plan: readonly AttachmentPlan[]; requestId: string; signal?: AbortSignal },
): Promise<number> {
  const left = [...plan]
  let stored = 0
  await walkFiles(paths, async ({ place, bytes, read }) => {
    signal?.throwIfAborted()
    const current = left.shift()
    if (current?.place !== place) throw changed(place)
    if (current.result !== 'new') return
    const { invoiceId, kind, name, digest } = current
    const content = await read()
    if (digestOf(content) !== digest) throw changed(place)
    if (!(await storeFile(tx, customerId, { invoiceId, kind, name, bytes: content })))
      throw new Problem(
        'invalid_request',
        `Somebody attached an ${kind} to ${invoiceId} at this moment. Nothing was stored; try again.`,
      )
    const event = { action: 'invoice.file-attached', subject: invoiceId, actor: OPERATOR, requestId }
    await recordAudit(tx, customerId, { ...event, details: { kind, name, bytes, digest } })
    stored += 1
  })
  if (left.length > 0) throw changed(left[0]?.place ?? '')
  return stored
}

function changed(location: string): Problem {
  return new Problem(
    'invalid_request',
    `${location} was changed while it was read. Nothing was stored; try again.`,
  )
}
