'use client'

import { CopyButton } from '#components/ui/copy-button.tsx'

/** Button that copies a value; `label` names the value for screen readers. */
export function CopyValue({ label, value }: { label: string; value: string }) {
  return (
    <CopyButton text={() => value}>
      Copy<span className="sr-only"> {label}</span>
    </CopyButton>
  )
}
