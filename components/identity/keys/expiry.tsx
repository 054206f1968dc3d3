import { SelectField } from '#components/ui/select-field.tsx'
import { daysOf, type KeyLimits } from '#lib/identity/keys/rules.ts'

const USUAL = [7, 30, 90, 180, 365]

/** After how many days a key ends, or never where that is allowed. */
export function Expiry({ limits }: { limits: KeyLimits }) {
  const { mostDays, withoutEnd } = limits
  const choices = [...new Set([...USUAL.filter((days) => days < mostDays), mostDays])]
  return (
    <SelectField
      label="Ends after"
      name="days"
      defaultValue={String(daysOf({}, limits))}
      hint="You are told by mail a week before, where mail is set up."
    >
      {choices.map((days) => (
        <option key={days} value={days}>
          {days === 1 ? '1 day' : `${days} days`}
        </option>
      ))}
      {withoutEnd ? <option value="never">Never</option> : null}
    </SelectField>
  )
}
