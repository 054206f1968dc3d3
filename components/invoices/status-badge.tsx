import { Badge, type BadgeTone } from '#components/ui/badge.tsx'
import { INVOICE_STATUS_NAMES, type InvoiceStatus } from '#lib/invoices/rules.ts'

const TONES: Record<InvoiceStatus, BadgeTone> = { OPEN: 'info', 'PAST DUE': 'danger', PAID: 'ok' }

/** `note` follows the status within the badge, such as how long it is past due. */
export function StatusBadge({ status, note }: { status: InvoiceStatus; note?: string }) {
  return (
    <Badge tone={TONES[status]}>
      {INVOICE_STATUS_NAMES[status]}
      {note ? ` ${note}` : ''}
    </Badge>
  )
}
