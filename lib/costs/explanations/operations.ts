import 'server-only'
import { operation } from '#lib/platform/api/operation.ts'
import { csvReply, xlsxReply } from '#lib/platform/files/table.ts'
import * as contract from './contract.ts'
import { explanationTable } from './export.ts'
import { readExplanation } from './read.ts'
import { serializeExplanation } from './serialize.ts'

export const explainMonth = operation(contract.explainMonth, async (caller, { query }) => ({
  body: serializeExplanation(await readExplanation(caller, query)),
}))

export const exportExplanation = operation(contract.exportExplanation, async (caller, { query }) => {
  const { separator, decimal, ...asked } = query
  const table = explanationTable(await readExplanation(caller, asked))
  return csvReply(`explanation-${query.month}`, table, { separator, decimal })
})

export const exportExplanationXlsx = operation(contract.exportExplanationXlsx, async (caller, { query }) => {
  const table = explanationTable(await readExplanation(caller, query))
  return xlsxReply(`explanation-${query.month}`, 'Causes', table)
})
