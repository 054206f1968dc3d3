import type { LucideIcon } from 'lucide-react'

/** Icon and name of a tool of a list; where there is little room, the name is only read out, unless it `matters`. */
export function ToolLabel({
  icon: Icon,
  matters = false,
  children,
}: {
  icon: LucideIcon
  matters?: boolean
  children: string
}) {
  return (
    <>
      <Icon aria-hidden="true" className="size-3.5 text-ink-3" />
      <span className={`max-w-40 truncate pr-0.75 ${matters ? 'max-xl:sr-only' : 'max-2xl:sr-only'}`}>
        {children}
      </span>
    </>
  )
}
