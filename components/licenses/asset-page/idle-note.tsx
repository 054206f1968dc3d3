import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import type { Idle } from '#lib/costs/idle-licenses/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { idleCost, idleText } from '../assets/idle-text.ts'

/**
 * What the idle licenses of an asset cost, and whether its plan can be lowered now. Nothing where none is idle.
 * @param onLower begins the review of a total; absent where the control takes none now
 */
export function IdleNote({
  item,
  idle,
  onLower,
}: {
  item: AssetListItem
  idle: Idle | undefined
  onLower?: ((total: number) => void) | undefined
}) {
  const text = idle && idleText(idle)
  if (!idle || !text) return null
  const cost = idleCost(idle)
  return (
    <section aria-label="Idle licenses" className="mb-4">
      <Card className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2.5 px-4 py-3">
        <p className="tabular-nums">
          <span className="font-[550]">
            {text}
            {cost ? `, ${cost} at the last price.` : '.'}
          </span>{' '}
          <span className="text-ink-2">{adviceOf(item, idle)}</span>
        </p>
        <LowerButton idle={idle} onLower={onLower} />
      </Card>
    </section>
  )
}

/** Only for what was idle for long: nobody is led to take a license that was free for a day. */
function LowerButton({
  idle: { lowerTo, lasting },
  onLower,
}: {
  idle: Idle
  onLower: ((total: number) => void) | undefined
}) {
  if (lowerTo === null || lasting === null || !onLower) return null
  return <Button onClick={() => onLower(lowerTo)}>Lower to {lowerTo.toLocaleString('en')}</Button>
}

function adviceOf({ properties, openChange, vendor }: AssetListItem, { lowerTo, lasting }: Idle): string {
  const { Plan, Status } = properties?.subscription ?? {}
  if (openChange) return 'A change of this plan is under way.'
  if (lowerTo !== null)
    return lasting === null
      ? 'For how long is not known yet. This plan can be lowered now.'
      : 'This plan can be lowered now.'
  if (Status !== 'ACTIVE') return 'The subscription is not active.'
  if (Plan?.IsCommitmentPlan) {
    const until = Plan.CommitmentEndTime
    return until === undefined
      ? 'This plan can’t be lowered during its commitment.'
      : `This plan can’t be lowered before ${dayText(until)}.`
  }
  if (vendor?.quantityIsCap) return 'They cost nothing: what is used is billed.'
  return 'Nothing is billed for a trial.'
}
