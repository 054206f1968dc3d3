import 'server-only'
import { randomUUID } from 'node:crypto'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { deferToCommit } from '#lib/platform/db/prepared-queries.ts'
import type { EventKind, WebhookEvent } from './rules.ts'

/**
 * One message per event and matching endpoint, due immediately: the worker holds those of an endpoint that rests or is
 * paused. Named, so that PostgreSQL parses it once per connection.
 */
const ADD_EVENTS = {
  name: 'outbox-events',
  text: `INSERT INTO outbox (customer_id, kind, recipient, lane, content)
    SELECT e.customer_id, 'webhook', e.id, e.id || ' ' || v.object,
      jsonb_build_object('event', v.id, 'kind', v.kind, 'profile', v.profile, 'ids', v.ids)
    FROM webhook_endpoints e
    CROSS JOIN json_to_recordset($2::json) AS v(n int, id text, kind text, object text, profile text, ids jsonb)
    WHERE e.customer_id = $1 AND (e.kinds IS NULL OR v.kind = ANY (e.kinds))
      AND (v.profile IS NULL OR e.billing_profiles IS NULL OR v.profile = ANY (e.billing_profiles))
    ORDER BY v.n`,
}

/** Events of each transaction so far, by their content: a repeated one is written once. */
const added = new WeakMap<Transaction, Map<string, WebhookEvent>>()

/** Most events of one statement, so that none exceeds the time limit. */
const MAX_ROWS = 1000

/**
 * Writes an event for the webhooks of the customer, in the transaction of its cause, with its COMMIT. The caller holds
 * the lock of the event's object, so that the order of messages is the order of causes.
 */
export function recordEvent(tx: Transaction, customerId: CustomerId, event: WebhookEvent): void {
  const content = JSON.stringify(event)
  const before = added.get(tx)
  if (before) return void before.set(content, event)
  const events = new Map([[content, event]])
  added.set(tx, events)
  deferToCommit(tx, () => {
    // Later events belong to another customer of the same transaction.
    added.delete(tx)
    return queriesOf(customerId, [...events.values()])
  })
}

function queriesOf(customerId: CustomerId, events: readonly WebhookEvent[]) {
  const rows = events.map(({ kind, object, billingProfile: profile, ids }, n) => {
    return { n, id: randomUUID(), kind, object, profile, ids }
  })
  const parts = Array.from({ length: Math.ceil(rows.length / MAX_ROWS) }, (_, at) =>
    rows.slice(at * MAX_ROWS, (at + 1) * MAX_ROWS),
  )
  return parts.map((part) => ({ ...ADD_EVENTS, values: [customerId, JSON.stringify(part)] }))
}

/** Returns the object of an invoice's events: all versions of one number are delivered in order. */
function invoiceObject(id: string): WebhookEvent['object'] {
  return `invoice:${id.replace(/~\d+$/, '')}`
}

type Invoice = { id: string; billingProfileId: string }

/**
 * Writes an event of an invoice.
 * @param more further ids, such as of the invoice that replaces it, or of the payment
 */
export function recordInvoiceEvent(
  tx: Transaction,
  customerId: CustomerId,
  kind: Extract<EventKind, `invoice.${string}` | `payment.${string}`>,
  { id, billingProfileId: billingProfile, ...more }: Invoice & Record<string, string>,
): void {
  const ids = { invoiceId: id, ...more }
  recordEvent(tx, customerId, { kind, object: invoiceObject(id), billingProfile, ids })
}

/** Writes the events of issued invoices, except those that were imported for the record. */
export function recordIssued(
  tx: Transaction,
  customerId: CustomerId,
  invoices: readonly (Invoice & { documentState: string; isHistory: boolean })[],
): void {
  for (const { id, billingProfileId, documentState, isHistory } of invoices)
    if (documentState === 'issued' && !isHistory)
      recordInvoiceEvent(tx, customerId, 'invoice.issued', { id, billingProfileId })
}

/** Writes the event of an invoice that was voided, or replaced by another one. */
export function recordCorrected(
  tx: Transaction,
  customerId: CustomerId,
  { id, billingProfileId }: Invoice,
  replacedBy?: string,
): void {
  const more: Record<string, string> = replacedBy === undefined ? {} : { replacedBy }
  recordInvoiceEvent(tx, customerId, 'invoice.corrected', { id, billingProfileId, ...more })
}

/** Writes the event of a license change; without a kind, there is none. */
export function recordChangeEvent(
  tx: Transaction,
  customerId: CustomerId,
  kind: EventKind | undefined,
  { id, assetId }: { id: string; assetId: string },
): void {
  if (kind)
    recordEvent(tx, customerId, { kind, object: `asset:${assetId}`, ids: { assetId, licenseChangeId: id } })
}

/** Writes the event of a member whose access, name or state has changed. */
export function recordMemberChange(tx: Transaction, customerId: CustomerId, memberId: string): void {
  recordEvent(tx, customerId, { kind: 'member.changed', object: `member:${memberId}`, ids: { memberId } })
}

/** Writes the event of a payment, in the transaction that records it, which holds the invoice's lock. */
export function recordPaymentEvent(
  tx: Transaction,
  customerId: CustomerId,
  payment: { paymentId: string; invoiceId: string; billingProfileId: string },
): void {
  const { invoiceId: id, ...rest } = payment
  recordInvoiceEvent(tx, customerId, 'payment.recorded', { id, ...rest })
}
