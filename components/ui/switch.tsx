'use client'

import { type ReactNode, useId } from 'react'

/** Switch that takes effect immediately. `children` explains its present state. */
export function Switch({
  label,
  checked,
  pending,
  onChange,
  children,
}: {
  label: string
  checked: boolean
  pending?: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}) {
  const id = useId()
  return (
    <div className="flex items-start gap-3.5">
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        aria-describedby={`${id}-means`}
        aria-disabled={pending ? true : undefined}
        onChange={() => pending || onChange(!checked)}
        className="mt-0.5 flex h-5.5 w-9.5 shrink-0 cursor-pointer appearance-none items-center rounded-full border border-ink-3 bg-sunken p-0.5 transition-colors duration-120 before:block before:size-4 before:rounded-full before:bg-ink-3 before:transition-transform before:duration-120 checked:border-accent checked:bg-accent checked:before:translate-x-4 checked:before:bg-surface focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-accent aria-disabled:opacity-60"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="cursor-pointer font-[550]">
          {label}
        </label>
        <p id={`${id}-means`} className="mt-0.5 text-sm text-ink-3">
          {children}
        </p>
      </div>
    </div>
  )
}
