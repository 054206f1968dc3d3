import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import type { ParameterMeta } from '#lib/platform/api/request.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { optionalFilter } from '#lib/platform/lists/filter.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type Renewal = z.output<typeof shapes.Renewal>
export type RenewalList = z.output<typeof shapes.RenewalList>

/** From 1970 on, as a time is a number of milliseconds since then. */
const MONTH = '^(19[7-9]\\d|[2-9]\\d{3})-(0[1-9]|1[0-2])$'

const selection = {
  month: z
    .string({ error: 'must be a month, as in 2026-12' })
    .regex(new RegExp(MONTH), 'must be a month, as in 2026-12')
    .optional()
    .meta({
      description: 'The month of UTC in which the commitment ends. Absent: this one and the eleven after it.',
      json: { type: 'string', pattern: MONTH },
    } satisfies ParameterMeta & { description: string }),
  filter: optionalFilter(['type'], 'type:workspace-suite'),
}

const ofLicenses = { permission: 'licenses-manager', query: z.object(selection) } as const

/** An addition. */
export const listRenewals = contract({
  ...ofLicenses,
  ...calls.listRenewals,
  summary: 'Commitments that end in the next twelve months',
  description:
    'Active plans with a commitment that ends in this month or the eleven after it: how many licenses each has and how many are idle, what they cost at the last price as far as the caller may see it, what happens by itself, and until when that can be decided.',
  output: shapes.RenewalList,
  examples: examples.listRenewals,
})

/** An addition. */
export const exportRenewals = contract({
  ...ofLicenses,
  ...calls.exportRenewals,
  query: z.object({ ...selection, ...dialect }),
  summary: 'Commitments that end in the next twelve months, as a CSV file',
  description: 'A row for each plan, the one that ends first first.',
  output: csvFile(),
  examples: examples.exportRenewals,
})

export const exportRenewalsXlsx = contract({
  ...ofLicenses,
  ...calls.exportRenewalsXlsx,
  summary: 'Commitments that end in the next twelve months, as a workbook',
  description: 'A row for each plan, the one that ends first first.',
  output: xlsxFile(),
  examples: examples.exportRenewalsXlsx,
})
