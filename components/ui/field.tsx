import { type ComponentProps, type ReactNode, useId } from 'react'

const INPUT =
  'h-9.5 max-md:h-11 w-full rounded-control border border-line-2 bg-surface px-3 text-base text-ink max-md:text-lg focus:outline-2 focus:outline-offset-1 focus:outline-accent aria-invalid:border-danger'

/** Labelled input. `error` is shown below and read out with it; `trailing` is placed inside its right end. */
export function Field({
  label,
  error,
  hint,
  trailing,
  ...input
}: {
  label: string
  error?: string | undefined
  hint?: string
  trailing?: ReactNode
} & ComponentProps<'input'>) {
  const id = useId()
  const notes = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return (
    <div className="grid gap-1.5 text-sm">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <div className="relative">
        <input
          {...input}
          id={id}
          aria-invalid={error ? true : undefined}
          aria-describedby={notes || undefined}
          className={`${INPUT} ${trailing ? 'pr-11' : ''}`}
        />
        {trailing ? <div className="absolute inset-y-0 right-1 flex items-center">{trailing}</div> : null}
      </div>
      {hint ? (
        <p id={`${id}-hint`} className="text-xs text-ink-3">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-danger">
          {error}
        </p>
      ) : null}
    </div>
  )
}
