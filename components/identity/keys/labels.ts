import type { BadgeTone } from '#components/ui/badge.tsx'
import type { KeyStatus, Overlap } from '#lib/identity/keys/rules.ts'

/** Label and color of each key status. */
export const STATUS: Record<KeyStatus, { text: string; tone: BadgeTone }> = {
  ACTIVE: { text: 'Active', tone: 'ok' },
  ROTATING: { text: 'Being replaced', tone: 'info' },
  ROTATED: { text: 'Replaced', tone: 'mute' },
  EXPIRED: { text: 'Expired', tone: 'mute' },
  REVOKED: { text: 'Revoked', tone: 'mute' },
  ISSUER_DISABLED: { text: 'Issuer disabled', tone: 'mute' },
}

/** Choices of how long both keys work, each with its meaning. */
export const OVERLAP: Record<Overlap, { text: string; means: string }> = {
  now: { text: 'Not at all', means: 'The old key stops working immediately.' },
  '1h': { text: '1 hour', means: 'Both keys work for an hour. Then the old one ends.' },
  '24h': { text: '24 hours', means: 'Both keys work for 24 hours. Then the old one ends.' },
  '7d': { text: '7 days', means: 'Both keys work for 7 days. Then the old one ends.' },
}
