import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

const DISCLOSURE_CLASS =
  'border-t border-line [&_tbody_tr:last-child]:border-b-0 [&_tbody_tr:last-child>td]:border-b-0 [&_summary]:flex [&_summary]:items-center [&_summary]:gap-2 [&_summary]:px-4 [&_summary]:py-2.5 [&_summary]:text-sm [&_summary]:text-ink-2 [&_summary]:hover:bg-sunken/50 max-md:[&_summary]:px-3.5 [&_summary::-webkit-details-marker]:hidden [&[open]>summary]:border-b [&[open]>summary]:border-line [&[open]>summary>svg]:rotate-90 print:[&::details-content]:block print:[&::details-content]:[content-visibility:visible]'

/** Collapsed rows that continue the table above; in print they are expanded. */
export function Disclosure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <details className={DISCLOSURE_CLASS}>
      <summary>
        <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-ink-3" />
        {name}
      </summary>
      {children}
    </details>
  )
}
