import { z } from 'zod'
import { orderBy, params, selection } from '#lib/billing/invoices/contract.ts'
import { MAX_SELECTED } from '#lib/billing/invoices/rules.ts'
import { contract } from '#lib/platform/api/contract.ts'
import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'
import { file, stream } from '#lib/platform/files/download.ts'
import { listText } from '#lib/platform/lists/parameters.ts'
import { fileRoutes } from '../routes.ts'
import { BYTES, READABLE_KINDS } from './rules.ts'

const readExamples: readonly Example[] = [
  {
    name: 'one-file',
    summary: 'An invoice as a file',
    params: { invoice_id: 'IN-2025-0917' },
    answer: { status: 200 },
  },
  {
    name: 'nothing-there',
    summary: 'No invoice has this number',
    params: { invoice_id: 'IN-2025-0' },
    answer: problemAnswer('not_found'),
  },
]

const exportExamples: readonly Example[] = [
  {
    name: 'two-named',
    summary: 'The files of two invoices',
    query: { ids: 'IN-2025-0917|IN-2025-1017' },
    answer: { status: 200 },
  },
  {
    name: 'one-missing',
    summary: 'One of them is not there',
    query: { ids: 'IN-2025-0917|IN-2025-0' },
    answer: problemAnswer('not_found'),
  },
]

/** Where an invoice's `url` leads. */
export const readInvoiceFile = contract({
  ...fileRoutes.readInvoiceFile,
  summary: 'Read one invoice as a file',
  permission: 'invoice-viewer',
  description:
    "Where an invoice's `url` leads: to the issuer's own PDF where it is there, else to ours. An issued invoice's file never changes, but for ours where it named a tax that we had calculated wrongly: it tells what was true when it was issued, and neither what was paid since nor what is left to pay.",
  params,
  query: z.object({
    kind: z.enum(READABLE_KINDS).optional().meta({
      description:
        'One of the kinds in the invoice’s `files`: the issuer’s own PDF (`original-pdf`) or XML (`original-xml`), or the PDF that we drew (`drawn`). `superseded` is the PDF that we drew first, where it named a wrong tax and was drawn again. `copy` is ours with the payments and credits until now, which is made at each request and is no document of the issuer.',
    }),
  }),
  output: file(
    'application/pdf',
    'A PDF; or XML, which is sent as mere bytes, so that no browser opens it. Binary, so without an example.',
    BYTES,
  ),
  responseHeaders: ['Repr-Digest'],
  examples: readExamples,
})

/** An addition: the files of all that is filtered, or of those that are named. */
export const exportInvoiceFiles = contract({
  ...fileRoutes.exportInvoiceFiles,
  summary: 'The PDF files of a selection, as a ZIP archive',
  permission: 'invoice-viewer',
  description:
    'The files of all that the filters select, or of those that are named. Refused where that is none, or one of the named is missing (`not_found`), and where it is more than 500 invoices or 50,000 line items (`invalid_request`).',
  query: z.object({
    ...selection,
    orderBy,
    ids: listText({ maxValues: MAX_SELECTED, maxLength: 6000 })
      .optional()
      .meta({
        description: `Invoice numbers, as in \`IN-1|IN-2\`; a \`|\` or \`%\` within one is percent-encoded once more. At most ${MAX_SELECTED}. Without it: all that the filters select.`,
      }),
  }),
  output: stream(
    'application/zip',
    'One PDF file for each invoice, the issuer’s own or ours, named by the `id`: binary, so without an example.',
  ),
  problems: ['not_found'],
  examples: exportExamples,
})
