import type { ReactNode } from 'react'

/** Checkbox of a form. */
export function Check({
  name,
  isOn = false,
  children,
}: {
  name: string
  isOn?: boolean
  children: ReactNode
}) {
  return (
    <label className="flex cursor-pointer items-center gap-2.5 text-sm max-md:min-h-10">
      <input type="checkbox" name={name} defaultChecked={isOn} className="size-4 shrink-0 accent-accent" />
      {children}
    </label>
  )
}
