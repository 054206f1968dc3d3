import type { BadgeTone } from '#components/ui/badge.tsx'
import type { DeliveryState, Overlap, WebhookStatus } from '#lib/notifications/webhooks/rules.ts'

/** Events in words, by kind. */
export const KIND_LABELS: Record<string, string> = {
  'license_change.completed': 'License change completed',
  'renewal_order.completed': 'Renewal order completed',
  'asset.changed_by_vendor': 'Asset changed by vendor',
  'invoice.issued': 'Invoice issued',
  'invoice.corrected': 'Invoice corrected',
  'invoice.past_due': 'Invoice past due',
  'payment.recorded': 'Payment recorded',
  'key.ending': 'API key expires soon',
  'member.changed': 'Member changed',
  'webhook.test': 'Test',
}

type Label = { text: string; tone: BadgeTone }

export const STATUS_LABELS: Record<WebhookStatus, Label & { about?: string }> = {
  ACTIVE: { text: 'Active', tone: 'ok' },
  PAUSED: { text: 'Paused', tone: 'mute', about: 'Events wait for up to 30 days.' },
  FAILING: {
    text: 'Paused after failures',
    tone: 'danger',
    about: 'The receiver did not accept an event for three days. Events wait for up to 30 days.',
  },
  ACCESS_LOST: {
    text: 'Admin lost access',
    tone: 'danger',
    about: 'The Admin of this webhook is no longer an Admin. Resume it to become its Admin.',
  },
}

export const DELIVERY_LABELS: Record<DeliveryState, Label> = {
  WAITING: { text: 'Waiting', tone: 'info' },
  ACCEPTED: { text: 'Delivered', tone: 'ok' },
  FAILED: { text: 'Failed', tone: 'danger' },
}

export const OVERLAP_LABELS: Record<Overlap, string> = {
  now: 'Not at all',
  '1h': '1 hour',
  '24h': '24 hours',
  '7d': '7 days',
}

/** Returns the address of a webhook's page. */
export function webhookHref(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`
}

/** Interval in which a screen with waiting events is read again, in milliseconds. */
export const REFRESH_MS = 5000
