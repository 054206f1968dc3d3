'use client'

import { CopyValue } from '#components/ui/copy-button.tsx'

/** Block of code with a copy button; `label` names it for screen readers. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div className="relative min-w-0">
      {/* Scrolls sideways, so that it can be reached by the keyboard. */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
        tabIndex={0}
        className="overflow-x-auto rounded-control border border-line-2 bg-sunken px-3 py-2.5 pr-20 max-md:pr-3 max-md:pb-12 print:pb-2.5 font-mono text-sm print:whitespace-pre-wrap print:pr-3"
      >
        <code>{text}</code>
      </pre>
      <span className="absolute top-1 right-1 rounded-control bg-sunken max-md:top-auto max-md:bottom-1 print:hidden">
        <CopyValue label={label} value={text} />
      </span>
    </div>
  )
}
