import { Badge, type BadgeTone } from '#components/ui/badge.tsx'
import type { LicenseChange } from '#lib/license-changes/contract.ts'
import type { CHANGE_STATES } from '#lib/license-changes/rules.ts'
import { statusText } from './words.ts'

type Known = (typeof CHANGE_STATES)[number]

const NAMES: Record<Known, string> = {
  CLAIMED: 'Applying',
  SENT: 'Applying',
  UNKNOWN: 'Confirming',
  APPLIED: 'Applied',
  REJECTED: 'Refused by the vendor',
  FAILED: 'Not applied',
  UNCLEAR: 'Unclear',
  DRIFT: 'Changed at the vendor',
  RECORDED: 'Recorded by import',
}
const TONES: Record<Known, BadgeTone> = {
  CLAIMED: 'info',
  SENT: 'info',
  UNKNOWN: 'info',
  APPLIED: 'ok',
  REJECTED: 'danger',
  FAILED: 'danger',
  UNCLEAR: 'warn',
  DRIFT: 'mute',
  RECORDED: 'mute',
}

/** What became of a change, as people read it. */
export function outcomeText(state: string): string {
  return NAMES[state as Known] ?? statusText(state)
}

/** What became of a change, and why the vendor refused it. */
export function ChangeOutcome({ change: { state, vendorReason } }: { change: LicenseChange }) {
  return (
    <>
      <Badge tone={TONES[state as Known] ?? 'mute'}>{outcomeText(state)}</Badge>
      {vendorReason ? (
        <span className="mt-1 block text-xs wrap-anywhere text-ink-2">{vendorReason}</span>
      ) : null}
    </>
  )
}
