import 'server-only'
import { serializeInvoice } from '#lib/billing/invoices/serialize.ts'
import type { Part } from '#lib/costs/causes/line-match.ts'
import { serializeCause } from '#lib/costs/causes/serialize.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { fileName } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { summed } from '#lib/platform/values/decimals.ts'
import { toJsonNumber } from '#lib/platform/values/numbers.ts'
import { type ComparedInvoices, readComparison } from './compared.ts'
import type { Change } from './comparison.ts'
import type { InvoiceChange, InvoiceComparison } from './contract.ts'
import * as contract from './contract.ts'
import { comparisonTable } from './export.ts'

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
  return fileName(`${from.wireId} to ${to.wireId}`)
}

function serializeComparison(
  { from, to, comparison, causes }: ComparedInvoices,
  baseUrl: string,
): InvoiceComparison {
  const difference = (key: keyof typeof comparison.effect) => ({
    ...summed('fromAmount', comparison.from[key]),
    ...summed('toAmount', comparison.to[key]),
    ...summed('effectAmount', comparison.effect[key]),
  })
  return {
    from: serializeInvoice(from, baseUrl),
    to: serializeInvoice(to, baseUrl),
    lineItems: difference('lineItems'),
    rounding: difference('rounding'),
    tax: difference('tax'),
    notItemized: difference('notItemized'),
    total: difference('total'),
    causes: causes.map((cause) => serializeCause(cause, { ...cause, platform: to.platform })),
    changes: comparison.changes.map(serializeChange),
    unchanged: comparison.unchanged.map(serializeChange),
  }
}

function serializeChange({ kind, reasons, currency, effect, from, to }: Change): InvoiceChange {
  return {
    change: kind,
    reasons,
    type: (to ?? from)?.type ?? '',
    currency,
    effectAmount: toJsonNumber(effect),
    ...(from ? { from: serializePart(from) } : {}),
    ...(to ? { to: serializePart(to) } : {}),
  }
}

function serializePart(part: Part) {
  return {
    description: part.description,
    ...(part.details === null ? {} : { Details: part.details }),
    qty: toJsonNumber(part.qty),
    ...(part.price ? { price: toJsonNumber(part.price) } : {}),
    amount: toJsonNumber(part.amount),
    lineCount: part.lines,
  }
}
