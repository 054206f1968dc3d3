import type { ReactNode } from 'react'

/** Term and value in a `dl` whose items are placed next to each other. */
export function DescriptionItem({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0 border-t border-l border-line px-4 py-3.5 max-md:px-3.5 max-md:py-3">
      <dt className="text-xs text-ink-3">{label}</dt>
      <dd className="mt-0.5 font-[550] break-words">{children}</dd>
    </div>
  )
}
