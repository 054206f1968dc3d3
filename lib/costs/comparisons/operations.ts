import 'server-only'
import { operation } from '#lib/platform/api/operation.ts'
import { fileName } from '#lib/platform/files/attachment.ts'
import { csvReply, xlsxReply } from '#lib/platform/files/table.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { type ComparedInvoices, readComparison } from './compared.ts'
import * as contract from './contract.ts'
import { comparisonTable } from './export.ts'
import { serializeComparison } from './serialize.ts'

export const compareInvoices = operation(contract.compareInvoices, async (caller, { query }) => ({
  body: serializeComparison(await readComparison(caller, query), env().baseUrl),
}))

export const exportComparison = operation(contract.exportComparison, async (caller, { query }) => {
  const { separator, decimal, ...pair } = query
  const compared = await readComparison(caller, pair)
  return csvReply(nameOf(compared), comparisonTable(compared), { separator, decimal })
})

export const exportComparisonXlsx = operation(contract.exportComparisonXlsx, async (caller, { query }) => {
  const compared = await readComparison(caller, query)
  return xlsxReply(nameOf(compared), 'Comparison', comparisonTable(compared))
})

function nameOf({ from, to }: ComparedInvoices): string {
  return fileName(`${from.id} to ${to.id}`)
}
