import 'server-only'
import { operation } from '#lib/api/operation.ts'
import { env } from '#lib/env.ts'
import { attachment, fileName } from '#lib/files/attachment.ts'
import { CSV } from '#lib/files/csv.ts'
import { readComparison } from './compared.ts'
import * as contract from './contract.ts'
import { comparisonCsv } from './export.ts'
import { serializeComparison } from './serialize.ts'

export const compareInvoices = operation(contract.compareInvoices, async (caller, { query }) => ({
  body: serializeComparison(await readComparison(caller, query), env().baseUrl),
}))

export const exportComparison = operation(contract.exportComparison, async (caller, { query }) => {
  const compared = await readComparison(caller, query)
  const name = fileName(`${compared.from.id} to ${compared.to.id}`)
  return { body: comparisonCsv(compared), headers: attachment(`${name}.csv`, CSV) }
})
