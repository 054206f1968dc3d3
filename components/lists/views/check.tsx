import type { ReactNode } from 'react'

/** Checkbox of a form. */
export function Check({
  name,
  checked = false,
  children,
}: {
  name: string
  checked?: boolean
  children: ReactNode
}) {
  return (
    <label className="flex cursor-pointer items-center gap-2.5 text-sm max-md:min-h-10">
      <input type="checkbox" name={name} defaultChecked={checked} className="size-4 shrink-0 accent-accent" />
      {children}
    </label>
  )
}
