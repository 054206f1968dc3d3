import { useId } from 'react'

/** Group of checkboxes. `error` is read out with the group. */
export function Checkboxes({
  legend,
  name,
  choices,
  selected = choices.length === 1 ? choices.map(({ value }) => value) : [],
  hint,
  error,
}: {
  legend: string
  name: string
  choices: readonly { value: string; text: string }[]
  /** Values checked at first; by default the only one. */
  selected?: readonly string[]
  hint?: string
  error?: string | undefined
}) {
  const id = useId()
  return (
    <fieldset aria-describedby={hint || error ? id : undefined} className="grid gap-0.5 text-sm">
      <legend className="mb-1 font-medium">{legend}</legend>
      <div className="flex max-h-44 flex-wrap gap-x-5 overflow-y-auto">
        {choices.map(({ value, text }) => (
          <label key={value} className="flex cursor-pointer items-center gap-2.5 py-1.25 max-md:py-2">
            <input
              type="checkbox"
              name={name}
              value={value}
              defaultChecked={selected.includes(value)}
              className="size-4 shrink-0 accent-accent"
            />
            <span className="wrap-anywhere">{text}</span>
          </label>
        ))}
      </div>
      <p id={id} role={error ? 'alert' : undefined} className={error ? 'text-danger' : 'text-xs text-ink-3'}>
        {error ?? hint}
      </p>
    </fieldset>
  )
}
