import 'server-only'
import { replyOf, serializeFullItem } from '#lib/licenses/assets/serialize.ts'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import { operation, type RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { licenseScope, readScope } from '#lib/platform/db/scope.ts'
import { dated } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { actorOf } from '#lib/platform/history/audit.ts'
import { pageOf, readPageToken, TimeKey } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { reconcileOnRead } from './assets-with-changes.ts'
import { changeQuantity } from './begin.ts'
import * as contract from './contract.ts'
import { predictAnswer } from './dry-run.ts'
import { changesTable } from './export.ts'
import * as problems from './problems.ts'
import { isOpen } from './rules.ts'
import { serializeLicenseChange } from './serialize.ts'
import { readChange, writeAcknowledgement } from './store/changes.ts'
import { type ChangeRow, findChange, keyOfChange, listLicenseChanges as listChanges } from './store/list.ts'
import { readAgain } from './vendor-sync/read-again.ts'

/** Answers the asset with its seats as they are after the change, or as a dry run predicts them. */
export const setQuantity = operation(contract.setQuantity, async (caller, input, { requestId, confirm }) => {
  const { params, query, body, headers: requestHeaders = {} } = input
  const { 'if-match': ifMatch, 'idempotency-key': key } = requestHeaders
  const changeRequest = { caller, assetId: params.asset_id, quantity: body.quantity, ifMatch }
  const request = ['setQuantity', changeRequest.assetId, changeRequest.quantity]
  const parse = contract.setQuantity.output.parse
  const keyed = key === undefined ? undefined : { caller, key, request, requestId, parse }
  const answer =
    query.dryRun === 'true'
      ? await predictAnswer(changeRequest)
      : await changeQuantity({ ...changeRequest, requestId, keyed, confirm }).catch(problems.throwLockProblem)
  // Thrown only here, so that the record of the refusal is committed.
  if (answer instanceof Problem) throw answer
  return answer
})

export const listLicenseChanges = operation(contract.listLicenseChanges, async (caller, { query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, ...selection } = query
  const filters = [caller.customerId, 'license-changes', selection] as const
  const cursor = pageToken ? readPageToken(pageToken, filters, TimeKey) : undefined
  const rows = await readScope(
    caller,
    (tx) => listChanges(tx, caller.customerId, selection, { limit: maxResults + 1, cursor }),
    { mayBeOld: true },
  )
  const { rows: pageRows, ...links } = pageOf(rows, {
    size: maxResults,
    cursor,
    keyOf: keyOfChange,
    list: filters,
  })
  const licenseChanges = pageRows.map(serializeLicenseChange)
  return { body: { ...links, licenseChanges, rowCount: licenseChanges.length } }
})

export const exportLicenseChanges = operation(contract.exportLicenseChanges, async (caller, { query }) => {
  const { separator, decimal, ...selection } = query
  return csvReply(dated('license-changes'), changesTable(caller, selection), { separator, decimal })
})

export const exportLicenseChangesXlsx = operation(
  contract.exportLicenseChangesXlsx,
  async (caller, { query }) =>
    xlsxReply(dated('license-changes'), 'License changes', changesTable(caller, query)),
)

export const readLicenseChange = operation(contract.readLicenseChange, async (caller, { params }, origin) => {
  const row = await readScope(caller, (tx) => findChange(tx, caller.customerId, params.change_id))
  if (!row) throw new Problem('not_found')
  reconcileOnRead(caller, row.isDue ? [{ due: row.change.id }] : [], origin)
  return { body: serializeLicenseChange(row) }
})

export const acknowledgeLicenseChange = operation(
  contract.acknowledgeLicenseChange,
  async (caller, { params }, meta) => {
    const row = await acknowledge(caller, params.change_id, meta).catch(problems.throwLockProblem)
    return { body: serializeLicenseChange(row) }
  },
)

export const readFromVendor = operation(
  contract.readFromVendor,
  async (caller, { params }, { requestId }) => {
    const row = await readAgain(caller, params.asset_id, requestId)
    return {
      body: serializeFullItem(row.asset, row, env().baseUrl),
      version: replyOf(row.asset).version,
    }
  },
)

/**
 * Records that the customer has compared an unclear change with the vendor's total. Settles nothing: the state stays
 * for the operator, but the change's Idempotency-Key is free for a decision on a fresh read. A repetition changes
 * nothing.
 * @returns the change afterwards
 * @throws Problem `not_found`; `change_in_progress` while the change is open; `change_settled` where its outcome is
 * known
 */
async function acknowledge(
  caller: Caller,
  changeId: string,
  { requestId, confirm }: RequestMeta,
): Promise<Omit<ChangeRow, 'micros'>> {
  const { customerId } = caller
  return licenseScope(caller, async (tx) => {
    const unlocked = await readChange(tx, customerId, changeId)
    if (!unlocked) throw new Problem('not_found')
    // Also an operator may be settling it: locks in one order.
    const { seatVersion } = await lockLicensed(tx, customerId, unlocked.assetId)
    await writeAcknowledgement(tx, customerId, changeId, { actor: actorOf(caller), requestId })
    const row = await findChange(tx, customerId, changeId)
    if (!row) throw new Problem('not_found')
    const { change } = row
    if (change.acknowledgedAt !== null) {
      await confirm?.(tx, seatVersion)
      return row
    }
    if (isOpen(change.state)) throw problems.otherChange(change)
    const detail = `This change is ${change.state}: there is nothing to acknowledge.`
    throw new Problem('change_settled', detail)
  })
}
