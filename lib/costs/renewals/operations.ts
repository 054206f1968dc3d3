import 'server-only'
import { operation } from '#lib/platform/api/operation.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { dated } from '#lib/platform/files/attachment.ts'
import { csvReply, xlsxReply } from '#lib/platform/files/table.ts'
import { env } from '#lib/platform/runtime/env.ts'
import * as contract from './contract.ts'
import { renewalsTable } from './export.ts'
import { readRenewals } from './read.ts'
import { chosenOf, type Selection, serializeRenewals } from './serialize.ts'

export const listRenewals = operation(contract.listRenewals, async (caller, { query }) => ({
  body: serializeRenewals(await readRenewals(caller), query, env().baseUrl),
}))

export const exportRenewals = operation(contract.exportRenewals, async (caller, { query }) => {
  const { separator, decimal, ...selection } = query
  return csvReply(nameOf(selection), await tableFor(caller, selection), { separator, decimal })
})

export const exportRenewalsXlsx = operation(contract.exportRenewalsXlsx, async (caller, { query }) =>
  xlsxReply(nameOf(query), 'Renewals', await tableFor(caller, query)),
)

async function tableFor(caller: Caller, selection: Selection) {
  const { renewals } = await readRenewals(caller)
  return renewalsTable(chosenOf(renewals, selection))
}

function nameOf({ month }: Selection): string {
  return month ? `renewals-${month}` : dated('renewals')
}
