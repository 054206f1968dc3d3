import { z } from 'zod'
import { contract } from '#lib/api/contract.ts'
import { file, stream } from '#lib/files/download.ts'
import { orderBy, params, selection } from '#lib/invoices/contract.ts'
import { MOST_TICKED } from '#lib/invoices/rules.ts'
import { listText } from '#lib/lists/list-text.ts'
import { calls } from './calls.ts'

/** Where an invoice's `url` leads. */
export const readInvoiceFile = contract({
  ...calls.readInvoiceFile,
  summary: 'Read one invoice as a PDF file',
  permission: 'invoice-viewer',
  description: "Where an invoice's `url` leads.",
  params,
  output: file('application/pdf', 'The invoice, as tagged PDF.'),
})

/** An addition: the files of all that is filtered, or of those that are named. */
export const exportInvoiceFiles = contract({
  ...calls.exportInvoiceFiles,
  summary: 'The PDF files of a selection, as a ZIP archive',
  permission: 'invoice-viewer',
  description: 'The files of all that the filters select, or of those that are named.',
  query: z.object({
    ...selection,
    orderBy,
    ids: listText({ most: MOST_TICKED, longest: 6000 }).optional().meta({
      description:
        'Invoice numbers, as in `IN-1|IN-2`; a `|` or `%` within one is percent-encoded once more. Without it: all that the filters select, 500 at most.',
    }),
  }),
  output: stream('application/zip', 'One PDF file for each invoice, named by its number.'),
  problems: ['not_found'],
})
