'use client'

import { type FormEvent, type RefObject, useRef, useState } from 'react'
import { waitText } from '#components/platform/waits/wait-text.ts'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Field } from '#components/ui/field.tsx'
import { useHydrated } from '#components/ui/hydrated.ts'
import { localPath } from '#lib/platform/caller/rules.ts'
import { navigateToNextStep, proveFactor, type SignInAnswer } from './next-auth.ts'
import { passkeyText, promptPasskey } from './passkey.ts'

/** Second factors that a member can use: a code of their app, a passkey, or a recovery code in place of either. */
export type FactorMethods = {
  app: boolean
  /** WebAuthn request options; undefined where the member has no passkey. */
  passkey: Record<string, unknown> | undefined
  /** Whether one of the member's customers requires no second factor. */
  mayGoWithout: boolean
}

/** Form for the second factor between a password and a session. */
export function FactorForm({ methods }: { methods: FactorMethods }) {
  const hydrated = useHydrated()
  const field = useRef<HTMLInputElement>(null)
  const [isRecovering, setRecovering] = useState(!methods.app && !methods.passkey)
  const [pending, setPending] = useState<'code' | 'passkey'>()
  const [error, setError] = useState('')

  const submitFactor = async (what: 'code' | 'passkey', prove: () => Promise<SignInAnswer>) => {
    if (pending) return
    setPending(what)
    setError('')
    try {
      const answer = await prove()
      if (navigateToNextStep(answer, localPath(new URLSearchParams(location.search).get('from') ?? '/')))
        return
      setError(textOf(answer, what))
      if (what === 'code') field.current?.select()
    } catch (failed) {
      setError(passkeyText(failed))
    }
    setPending(undefined)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code'))
    submitFactor('code', () => proveFactor({ code }))
  }
  const { passkey } = methods
  const hasField = methods.app || isRecovering
  return (
    <div className="mt-4 grid gap-3.5">
      {passkey ? (
        <Button
          variant={hasField ? 'plain' : 'primary'}
          pending={pending === 'passkey'}
          disabled={!hydrated}
          className="min-h-9.5 w-full"
          onClick={() =>
            submitFactor('passkey', async () => proveFactor({ passkey: await promptPasskey(passkey) }))
          }
        >
          Use a passkey
        </Button>
      ) : null}
      {hasField ? (
        <CodeForm
          key={String(isRecovering)}
          field={field}
          isRecovering={isRecovering}
          pending={pending === 'code'}
          onSubmit={submit}
        />
      ) : null}
      <p role="alert" className="text-sm text-danger empty:hidden">
        {error}
      </p>
      {methods.app || passkey ? (
        <Button variant="quiet" disabled={!hydrated} onClick={() => setRecovering(!isRecovering)}>
          {isRecovering ? 'Go back' : 'Use a recovery code'}
        </Button>
      ) : null}
      {methods.mayGoWithout ? (
        <ButtonLink variant="quiet" href="/sign-in/customer?without=1" prefetch={false}>
          Go on where none is needed
        </ButtonLink>
      ) : null}
    </div>
  )
}

function textOf(answer: SignInAnswer, what: 'code' | 'passkey'): string {
  if (answer.kind === 'throttled')
    return `Too many wrong codes. Wait ${waitText(answer.seconds)}, then try again.`
  if (answer.kind === 'busy')
    return 'Too many requests come from your network. Wait a minute, then try again.'
  if (answer.kind !== 'refused') return 'No answer from the service. Check your connection and try again.'
  return what === 'code'
    ? 'This code is wrong, or was used before. Wait for the next one.'
    : 'This passkey was not accepted. Try again.'
}

/** Form with one field for a code of the app or a recovery code. */
function CodeForm({
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
        // Autofocus is fine, because this field is the page's purpose.
        autoFocus
        required
      />
      <Button
        type="submit"
        variant="primary"
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
