'use client'

import type { FormEvent, RefObject } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { useHydrated } from '#components/ui/hydrated.ts'

/** One field for a code, of the app or of those that were written down. */
export function CodeForm({
  field,
  isRecovering,
  pending,
  onSubmit,
}: {
  field: RefObject<HTMLInputElement | null>
  isRecovering: boolean
  pending: boolean
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
}) {
  const hydrated = useHydrated()
  const kind = isRecovering ? RECOVERY : APP
  return (
    <form method="post" onSubmit={onSubmit} className="grid gap-3.5">
      <Field
        ref={field}
        {...kind}
        name="code"
        spellCheck={false}
        autoCapitalize="none"
        // The page is there for this field.
        autoFocus
        required
      />
      <Button
        type="submit"
        look="primary"
        pending={pending}
        disabled={!hydrated}
        className="min-h-9.5 w-full"
      >
        Go on
      </Button>
    </form>
  )
}

const APP = {
  label: 'Code',
  hint: 'The six digits that your authenticator app shows now.',
  autoComplete: 'one-time-code',
  inputMode: 'numeric',
} as const
const RECOVERY = {
  label: 'Recovery code',
  hint: 'One of the codes that you have written down. It works once.',
  autoComplete: 'off',
  inputMode: 'text',
} as const
