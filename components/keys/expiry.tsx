import { useId } from 'react'
import { daysOf, type KeyLimits } from '#lib/keys/rules.ts'

const USUAL = [7, 30, 90, 180, 365]

/** After how many days a key ends, or never where that is allowed. */
export function Expiry({ limits }: { limits: KeyLimits }) {
  const id = useId()
  const { mostDays, withoutEnd } = limits
  const choices = [...new Set([...USUAL.filter((days) => days < mostDays), mostDays])]
  return (
    <div className="grid gap-1.5 text-sm">
      <label htmlFor={id} className="font-medium">
        Ends after
      </label>
      <select
        id={id}
        name="days"
        defaultValue={String(daysOf({}, limits))}
        className="h-9.5 w-full rounded-control border border-line-2 bg-surface px-3 text-base text-ink max-md:h-11 max-md:text-lg focus:outline-2 focus:outline-offset-1 focus:outline-accent"
      >
        {choices.map((days) => (
          <option key={days} value={days}>
            {days === 1 ? '1 day' : `${days} days`}
          </option>
        ))}
        {withoutEnd ? <option value="never">Never</option> : null}
      </select>
      <p className="text-xs text-ink-3">You are told by mail a week before, where mail is set up.</p>
    </div>
  )
}
