import { Meter } from '#components/ui/meter.tsx'
import { usageOf } from '#lib/licenses/assets/rules.ts'
import type { Subscription } from './labels.ts'

/** How many of the purchased licenses are assigned to users. */
export function Usage({ seats }: { seats: Subscription['Seats'] }) {
  const { LicensedNumberOfSeats: assigned, NumberOfSeats: purchased } = seats
  return (
    <div className="grid gap-1.5 max-w-44">
      <span className="text-sm tabular-nums">
        {assigned.toLocaleString('en')}{' '}
        <span className="text-xs text-ink-3">of {purchased.toLocaleString('en')} assigned</span>
      </span>
      <Meter value={assigned} max={purchased} look={usageOf({ purchased, assigned })} />
    </div>
  )
}
