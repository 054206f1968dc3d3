/** Option of a select: its value and its name. */
export type Choice = { id: string; name: string }

/**
 * Select of one value in a row of filters.
 * @param all name of the option without a value
 */
export function InlineSelect({
  label,
  all,
  choices,
  value,
  onChange,
}: {
  label: string
  all: string
  choices: readonly Choice[]
  /** Selected values; several come from an address. */
  value: readonly string[]
  onChange: (value: string[]) => void
}) {
  const [first = ''] = value
  const isListed = choices.some(({ id }) => id === first)
  return (
    <label className="flex items-center gap-1.5 text-sm text-ink-2 print:hidden">
      {label}
      <select
        value={value.length > 1 ? '' : first}
        onChange={(event) => onChange(event.target.value === '' ? [] : [event.target.value])}
        className="h-8.5 max-w-44 rounded-control border border-line-2 bg-surface px-2 text-sm text-ink max-md:h-11"
      >
        <option value="">{value.length > 1 ? 'Several' : all}</option>
        {first === '' || isListed ? null : <option value={first}>{first}</option>}
        {choices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
