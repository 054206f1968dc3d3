import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import type { ParameterMeta } from '#lib/platform/api/request.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { optionalFilter } from '#lib/platform/lists/filter.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type InvoiceExplanation = z.output<typeof shapes.InvoiceExplanation>

/** From 1970 on, as a time is a number of milliseconds since then. */
const MONTH = '^(19[7-9]\\d|[2-9]\\d{3})-(0[1-9]|1[0-2])$'

const asked = {
  month: z
    .string({ error: 'must be a month, as in 2026-10' })
    .regex(new RegExp(MONTH), 'must be a month, as in 2026-10')
    .meta({
      description: 'The month that is compared with the one before, as in `2026-10`.',
      json: { type: 'string', pattern: MONTH },
    } satisfies ParameterMeta & { description: string }),
  filter: optionalFilter(
    ['platform', 'issuer', 'billingProfile', 'currency'],
    'platform:web-services|currency:USD',
  ),
}

const explanation = { permission: 'invoice-viewer', query: z.object(asked) } as const

/** An addition. */
export const explainMonth = contract({
  ...explanation,
  ...calls.explainMonth,
  summary: 'Why a month is dearer than the one before, per currency',
  description:
    'Of the issued invoices whose invoice date is in the two months: each product that costs more or less, why, and by how much. In each currency the causes add up to the difference, exactly.',
  output: shapes.InvoiceExplanation,
  examples: examples.explainMonth,
})

/** An addition. */
export const exportExplanation = contract({
  ...explanation,
  ...calls.exportExplanation,
  query: z.object({ ...asked, ...dialect }),
  summary: 'Why a month is dearer than the one before, as a CSV file',
  description: 'A row for each cause.',
  output: csvFile(),
  examples: examples.exportExplanation,
})

/** An addition. */
export const exportExplanationXlsx = contract({
  ...explanation,
  ...calls.exportExplanationXlsx,
  summary: 'Why a month is dearer than the one before, as a workbook',
  description: 'A row for each cause.',
  output: xlsxFile(),
  examples: examples.exportExplanationXlsx,
})
