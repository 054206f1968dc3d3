'use client'

import Link from 'next/link'
import { type FormEvent, useRef, useState } from 'react'
import { waitText } from '#components/platform/waits/wait-text.ts'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { useHydrated } from '#components/ui/hydrated.ts'
import { askPasskey } from '#lib/identity/client.ts'
import { localPath } from '#lib/platform/caller/rules.ts'
import { navigateToNextStep, type SignInAnswer, signIn, signInByPasskey } from './next-auth.ts'
import { passkeyText, promptPasskey } from './passkey.ts'
import { PasswordField } from './password-field.tsx'
import { beginSignOn, type SignOnAnswer, signOnError } from './sign-on.ts'

const WRONG_CREDENTIALS = 'Wrong email address or password. Check both and try again.'
const BUSY = 'Too many requests come from your network. Wait a minute, then try again.'
const NO_SIGN_ON = 'There is no single sign-on for this address. Use your password.'
const UNAVAILABLE = 'No answer from the service. Check your connection and try again.'

/**
 * Signs in and continues to the page that the address names. Only the browser reads the address: the page is the same
 * for all visitors, and prerendered. `hasPasskeys`: whether browsers can use passkeys at this console.
 */
export function SignInForm({ hasPasskeys }: { hasPasskeys: boolean }) {
  const hydrated = useHydrated()
  const password = useRef<HTMLInputElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const [pending, setPending] = useState<'password' | 'sign-on'>()
  const [message, setError] = useState<string>()
  const error = message ?? (hydrated ? signOnError(location.search) : '')

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (pending) return
    const fields = new FormData(event.currentTarget)
    setPending('password')
    setError('')
    const answer = await signIn(String(fields.get('email')).trim(), String(fields.get('password')))
    if (navigateToNextStep(answer, localPath(fromOf(location.search)))) return
    setPending(undefined)
    setError(textOf(answer))
    if (answer.kind === 'refused') password.current?.select()
  }

  /** Needs only the email address, which selects the issuer. */
  const leave = async () => {
    const email = form.current?.elements.namedItem('email') as HTMLInputElement
    if (pending || !email.reportValidity()) return
    setPending('sign-on')
    setError('')
    const answer = await beginSignOn(email.value.trim(), fromOf(location.search))
    if (answer.kind === 'to-issuer') return location.assign(answer.location)
    setPending(undefined)
    setError(signOnText(answer))
  }

  return (
    // POST, so that a native submit never puts the password into the address.
    <form ref={form} method="post" onSubmit={submit} className="mt-3.5 grid gap-3.5">
      <Field
        label="Work email"
        name="email"
        type="email"
        autoComplete="username"
        inputMode="email"
        spellCheck={false}
        autoCapitalize="none"
        required
      />
      <PasswordField
        ref={password}
        label="Password"
        name="password"
        autoComplete="current-password"
        required
      />
      <p role="alert" className="text-sm text-danger empty:hidden">
        {error}
      </p>
      <Button
        type="submit"
        variant="primary"
        pending={pending === 'password'}
        // A disabled button also keeps Enter from submitting the form before hydration.
        disabled={!hydrated}
        className="mt-1 min-h-9.5 w-full disabled:bg-accent disabled:text-accent-ink"
      >
        {pending === 'password' ? 'Signing in…' : 'Sign in'}
      </Button>
      <Button
        pending={pending === 'sign-on'}
        disabled={!hydrated}
        onClick={leave}
        className="min-h-9.5 w-full disabled:text-ink"
      >
        Use single sign-on
      </Button>
      {hasPasskeys ? <PasskeyButton to={() => localPath(fromOf(location.search))} /> : null}
      <Link
        href="/sign-in/forgotten"
        prefetch={false}
        className="justify-self-center text-sm text-accent underline"
      >
        Forgot password?
      </Link>
    </form>
  )
}

function textOf(answer: SignInAnswer): string {
  if (answer.kind === 'refused') return WRONG_CREDENTIALS
  if (answer.kind === 'busy') return BUSY
  if (answer.kind !== 'throttled') return UNAVAILABLE
  return `Too many failed attempts. Wait ${waitText(answer.seconds)}, then try again.`
}

function signOnText({ kind }: SignOnAnswer): string {
  if (kind === 'none') return NO_SIGN_ON
  if (kind === 'busy') return BUSY
  return signOnError('sign-on=unavailable')
}

function fromOf(search: string): string {
  return new URLSearchParams(search).get('from') ?? '/'
}

/** Signs in with only a passkey, and continues to the path that `to` returns. */
function PasskeyButton({ to }: { to: () => string }) {
  const hydrated = useHydrated()
  const [pending, setPending] = useState(false)
  const [error, setError] = useState('')
  const enter = async () => {
    setPending(true)
    setError('')
    try {
      const { options } = await askPasskey({ body: {} })
      const answer = await signInByPasskey(await promptPasskey(options))
      if (navigateToNextStep(answer, to())) return
      setError(
        answer.kind === 'refused'
          ? 'This passkey does not sign in here by itself. Use your password.'
          : 'No answer from the service. Check your connection and try again.',
      )
    } catch (failed) {
      setError(passkeyText(failed))
    }
    setPending(false)
  }
  return (
    <>
      <Button pending={pending} disabled={!hydrated} className="min-h-9.5 w-full" onClick={enter}>
        Use a passkey instead
      </Button>
      <p role="alert" className="text-sm text-danger empty:hidden">
        {error}
      </p>
    </>
  )
}
