'use client'

import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { useHydrated } from '#components/ui/hydrated.ts'
import { navigateToNextStep, type SignInAnswer, setUpFactor } from '../access/next-auth.ts'
import { newPasskey, passkeyText } from '../access/passkey.ts'
import { AppSecret, type AppSecretView } from './app-secret.tsx'

/** Next page after setting up a factor: recovery codes for the day when it is lost. */
const NEXT = '/second-factor'

/** Sets up the required second factor, before a session opens. */
export function RequiredFactor({
  app,
  options,
}: {
  app: AppSecretView & { token: string }
  /** WebAuthn creation options; undefined where passkeys are not possible. */
  options: Record<string, unknown> | undefined
}) {
  const hydrated = useHydrated()
  const [pending, setPending] = useState<'app' | 'passkey'>()
  const [error, setError] = useState('')
  const setUp = async (what: 'app' | 'passkey', credential: () => Promise<object>) => {
    if (pending) return
    setPending(what)
    setError('')
    try {
      const answer = await setUpFactor(await credential())
      if (navigateToNextStep(answer, NEXT)) return
      setError(textOf(answer, what))
    } catch (failed) {
      setError(passkeyText(failed))
    }
    setPending(undefined)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code'))
    setUp('app', async () => ({ kind: 'totp', name: 'Authenticator app', token: app.token, code }))
  }
  return (
    <div className="mt-4 grid gap-4">
      <p role="alert" className="text-sm text-danger empty:hidden">
        {error}
      </p>
      {options ? (
        <>
          <Button
            pending={pending === 'passkey'}
            disabled={!hydrated}
            className="min-h-9.5 w-full"
            onClick={() =>
              setUp('passkey', async () => ({
                kind: 'passkey',
                name: 'Passkey',
                passkey: await newPasskey(options),
              }))
            }
          >
            Create a passkey on this device
          </Button>
          <p className="text-center text-sm text-ink-3">or use an app that shows codes</p>
        </>
      ) : null}
      <AppSecret {...app} />
      <form method="post" onSubmit={submit} className="grid gap-3.5">
        <Field
          label="Code"
          hint="The 6-digit code in your app."
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
        />
        <Button
          type="submit"
          variant="primary"
          pending={pending === 'app'}
          disabled={!hydrated}
          className="min-h-9.5 w-full"
        >
          Confirm and sign in
        </Button>
      </form>
    </div>
  )
}

function textOf({ kind }: SignInAnswer, what: 'app' | 'passkey'): string {
  if (kind !== 'refused') return 'No answer from the service. Check your connection and try again.'
  return what === 'app'
    ? 'This code is wrong. Wait for the next one and try again.'
    : 'The passkey could not be checked. Reload the page and try again.'
}
