import 'server-only'
import { readFile } from '#lib/billing/invoice-files/files.ts'
import type { Attachment } from '#lib/platform/mail/mailer.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import type { MailInvoiceRow, To } from './store.ts'

/** PDF of the invoice with this key. */
export type PdfAttachment = Attachment & { key: string }

/** Limits of one mail: most mail servers accept 10 MB, and encoding adds a third. */
const MAX_ATTACHMENTS = 10
const MAX_ATTACHED_BYTES = 7_000_000

/**
 * Returns the PDFs of invoices in their order, as the console serves them, as far as they fit into one mail. A document
 * that can't be read is left out, and the mail still leaves.
 */
export async function readAttachments(
  { customerId }: To,
  invoices: readonly MailInvoiceRow[],
): Promise<PdfAttachment[]> {
  const attachments: PdfAttachment[] = []
  let size = 0
  for (const { key, billingProfileId } of invoices.slice(0, MAX_ATTACHMENTS)) {
    const owner = { customerId, billingProfiles: [billingProfileId] }
    const file = await readFile(owner, key).catch((error: unknown) => {
      log().warn({ customerId, invoice: key, reason: reasonOf(error).slice(0, 300) }, 'PDF not attached')
      return undefined
    })
    if (!file || size + file.bytes.length > MAX_ATTACHED_BYTES) continue
    size += file.bytes.length
    const content = Buffer.from(file.bytes)
    attachments.push({ key, filename: file.name, contentType: 'application/pdf', content })
  }
  return attachments
}
