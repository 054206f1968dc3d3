import Link from 'next/link'
import { assetHref } from '#components/licenses/assets/one-asset.ts'
import { Badge, type BadgeTone } from '#components/ui/badge.tsx'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import { type ChangeState, isOpen, OPEN_STATES } from '#lib/licenses/license-changes/rules.ts'
import { CHANGE_STATE_NAMES } from '#lib/licenses/license-changes/state-names.ts'
import { statusText } from '../assets/labels.ts'
import { CopyId } from './copy-id.tsx'
import { PendingStatus } from './pending-status.tsx'

const TONES: Record<ChangeState, BadgeTone> = {
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

/** Returns the display name of a change's outcome. */
export function outcomeText(state: string): string {
  return CHANGE_STATE_NAMES[state as ChangeState] ?? statusText(state)
}

/** States with a copyable change id, because the member may have to quote it to support. */
const QUOTED = [...OPEN_STATES, 'FAILED', 'UNCLEAR']

/** Outcome of a change and its reason, or by when it is known; `again` adds a link to request the total again. */
export function ChangeOutcome({ change, again }: { change: LicenseChange; again: boolean }) {
  const { id, assetId, state, to, knownBy, vendorReason } = change
  return (
    <>
      <Badge tone={TONES[state as ChangeState] ?? 'mute'}>{outcomeText(state)}</Badge>
      {vendorReason || isOpen(state) ? (
        // A long reason has a limited width: names and days keep their own.
        <span className="relative z-1 mt-1 block w-fit text-xs wrap-anywhere text-ink-2 md:max-w-72">
          {vendorReason} {isOpen(state) ? <PendingStatus knownBy={knownBy} /> : null}
        </span>
      ) : null}
      {again ? (
        <Link
          href={assetHref(assetId, `set=${to}`)}
          prefetch={false}
          className="relative z-1 mt-1 mr-3 inline-block rounded-sm text-xs font-medium text-accent underline underline-offset-2 max-md:py-1.5"
        >
          Set to {to.toLocaleString('en')} again
        </Link>
      ) : null}
      {QUOTED.includes(state) ? <CopyId id={id} /> : null}
    </>
  )
}
