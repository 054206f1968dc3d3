'use client'

import { Check, Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import type { ButtonVariant } from './button-variants.ts'
import { useCopy } from './use-copy.ts'

/** Copies the result of `text` when pressed, and shows that it did. */
export function CopyButton({
  text,
  variant = 'quiet',
  children,
}: {
  text: () => string
  variant?: ButtonVariant
  children: ReactNode
}) {
  const { copyState, copy } = useCopy(text)
  const Icon = copyState === 'copied' ? Check : Copy
  return (
    <Button variant={variant} onClick={copy}>
      <Icon aria-hidden="true" className="size-3.5" />
      {children}
      <span role="status" className={copyState === 'refused' ? 'text-danger' : 'sr-only'}>
        {copyState === 'copied' ? 'Copied' : copyState === 'refused' ? 'Not copied: the browser refused' : ''}
      </span>
    </Button>
  )
}

/** Button "Copy" for one value; `label` names the value for screen readers. */
export function CopyValue({ label, value }: { label: string; value: string }) {
  return (
    <CopyButton text={() => value}>
      Copy<span className="sr-only"> {label}</span>
    </CopyButton>
  )
}
