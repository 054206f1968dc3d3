'use client'

import { Check, Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import type { ButtonLook } from './button-look.ts'
import { useCopy } from './use-copy.ts'

/** Copies the text that `text` makes when pressed, and says that it did. */
export function CopyButton({
  text,
  look = 'quiet',
  children,
}: {
  text: () => string
  look?: ButtonLook
  children: ReactNode
}) {
  const { said, copy } = useCopy(text)
  const Icon = said === 'copied' ? Check : Copy
  return (
    <Button look={look} onClick={copy}>
      <Icon aria-hidden="true" className="size-3.5" />
      {children}
      <span role="status" className={said === 'refused' ? 'text-danger' : 'sr-only'}>
        {said === 'copied' ? 'Copied' : said === 'refused' ? 'Not copied: the browser refused' : ''}
      </span>
    </Button>
  )
}
