import 'server-only'
import { operation } from '#lib/api/operation.ts'
import { attachment } from '#lib/files/attachment.ts'
import { CSV } from '#lib/files/csv.ts'
import * as contract from './contract.ts'
import { explanationCsv } from './export.ts'
import { readExplanation } from './read.ts'
import { serializeExplanation } from './serialize.ts'

export const explainMonth = operation(contract.explainMonth, async (caller, { query }) => ({
  body: serializeExplanation(await readExplanation(caller, query)),
}))

export const exportExplanation = operation(contract.exportExplanation, async (caller, { query }) => ({
  body: explanationCsv(await readExplanation(caller, query)),
  headers: attachment(`explanation-${query.month}.csv`, CSV),
}))
