import { Badge, type BadgeTone } from '#components/ui/badge.tsx'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { INVOICE_STATUS_NAMES, type InvoiceStatus } from '#lib/billing/invoices/rules.ts'
import { daysBetween, daysText } from '#lib/platform/values/days.ts'

type BadgeInvoice = Pick<
  Invoice,
  'documentState' | 'status' | 'balanceAmount' | 'payableAmount' | 'totalAmount'
>

const TONES: Record<InvoiceStatus, BadgeTone> = { OPEN: 'info', 'PAST DUE': 'danger', PAID: 'ok' }

/** Shows the status of an invoice; `note` follows within the badge, such as how long it is past due. */
export function StatusBadge({ invoice, note }: { invoice: BadgeInvoice; note?: string | undefined }) {
  const { tone, text } = badgeFor(invoice)
  return (
    <Badge tone={tone}>
      {text}
      {note ? ` ${note}` : ''}
    </Badge>
  )
}

function badgeFor({ documentState, status, balanceAmount, payableAmount, totalAmount }: BadgeInvoice): {
  tone: BadgeTone
  text: string
} {
  if (documentState === 'draft') return { tone: 'mute', text: 'Draft, not owed' }
  if (documentState === 'voided' || status === undefined) return { tone: 'mute', text: 'Voided' }
  // On the wire it is PAID, for nothing is left to pay: but something is left to get.
  if ((payableAmount ?? balanceAmount) < 0) return { tone: 'ok', text: 'Credit' }
  // Credit notes are not payable: they are set off, or paid out, until nothing is left.
  if (totalAmount < 0) return { tone: 'ok', text: 'Settled' }
  return { tone: TONES[status], text: INVOICE_STATUS_NAMES[status] }
}

/**
 * Returns how long an invoice is past due, as `21 days`; undefined where it is not. `today` is in epoch milliseconds.
 */
export function latenessOf({ status, dueDate }: Invoice, today: number): string | undefined {
  if (status !== 'PAST DUE') return undefined
  // The database's day decides; this machine's may come a moment later.
  return daysText(Math.max(1, daysBetween(dueDate, today)))
}
