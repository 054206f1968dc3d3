import { type ComponentProps, useId } from 'react'

/** Labelled select; `children` are its options. `hint` is shown below. */
export function SelectField({
  label,
  hint,
  children,
  ...select
}: { label: string; hint?: string } & ComponentProps<'select'>) {
  const id = useId()
  return (
    <div className="grid gap-1.5 text-sm">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <select
        {...select}
        id={id}
        className="h-9.5 w-full rounded-control border border-line-2 bg-surface px-3 text-base text-ink max-md:h-11 max-md:text-lg focus:outline-2 focus:outline-offset-1 focus:outline-accent"
      >
        {children}
      </select>
      {hint ? <p className="text-xs text-ink-3">{hint}</p> : null}
    </div>
  )
}
