'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { waitText } from '#components/platform/waits/wait-text.ts'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { confirmPasskey, listFactors, proveSession } from '#lib/identity/client.ts'
import type { Signed } from '#lib/identity/second-factors/contract.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { NoPasskey, promptPasskey } from '../passkey.ts'
import { PasswordField } from '../password-field.tsx'
import { beginFreshSignOn } from '../sign-on.ts'
import { useSignInMethods } from './sign-in-methods.ts'

type SignInMethod = 'password' | 'code' | 'passkey'

const FIELDS = {
  password: { label: 'Password', autoComplete: 'current-password', wrong: 'This is not your password.' },
  code: { label: 'Code', autoComplete: 'one-time-code', wrong: 'This code is wrong, or was used before.' },
} as const

type ConfirmDialogProps = { email: string; onClose: (isConfirmed: boolean) => void }

/** Asks the member for a fresh proof of identity, by one of their methods, and passes on whether it succeeded. */
export function ConfirmDialog({ email, onClose }: ConfirmDialogProps) {
  const may = useSignInMethods()
  const methods = useMemberMethods(may)
  const [turned, setChosen] = useState<SignInMethod>()
  const method = turned ?? methods[0]
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (secret: string) =>
      proveSession({ body: await credentialFor(method ?? 'password', secret) }),
    onSuccess: () => onClose(true),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending || !method) return
    const field = event.currentTarget.elements.namedItem(method) as HTMLInputElement | null
    mutate(field?.value ?? '', { onError: () => field?.select() })
  }
  const chooseMethod = (other: SignInMethod) => {
    reset()
    setChosen(other)
  }
  const isWrong = error instanceof ProblemError && error.code === 'invalid_request'
  return (
    <Dialog title="Confirm it’s you" onClose={() => onClose(false)}>
      <p className="mt-1 text-ink-3">
        You signed in more than 10 minutes ago. Confirm who you are to continue.
      </p>
      <form method="post" onSubmit={submit} className="mt-4 grid gap-3.5">
        {/* Username for password managers. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        {may ? null : <SkeletonRows count={1} />}
        {method && method !== 'passkey' ? (
          <MethodField key={method} method={method} error={isWrong ? FIELDS[method].wrong : undefined} />
        ) : null}
        {error && (!isWrong || method === 'passkey') ? <ConfirmError error={error} /> : null}
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <Button key={other} variant="quiet" onClick={() => chooseMethod(other)}>
              {METHOD_TEXTS[other]}
            </Button>
          ))}
        {may?.signOn ? <BySignOn isAlone={!method} /> : null}
        <div className="mt-2 flex justify-end gap-2">
          <Button variant="quiet" onClick={() => onClose(false)}>
            Cancel
          </Button>
          {method ? (
            <Button type="submit" variant="primary" pending={isPending}>
              {method === 'passkey' ? 'Use the passkey' : 'Confirm'}
            </Button>
          ) : null}
        </div>
      </form>
    </Dialog>
  )
}

const METHOD_TEXTS: Record<SignInMethod, string> = {
  password: 'Use your password',
  code: 'Use a code of your app',
  passkey: 'Use a passkey',
}

const NONE: { password: boolean; factor: boolean } = { password: false, factor: false }

/**
 * Returns the methods that the member can use here: their password, if passwords are allowed, and their second factors.
 */
function useMemberMethods({ password, factor } = NONE): SignInMethod[] {
  const { data } = useQuery({
    queryKey: listFactors.key({}),
    queryFn: ({ signal }) => listFactors({}, signal),
    enabled: factor,
  })
  const has = (kind: 'totp' | 'passkey') => data?.factors.some((one) => one.kind === kind)
  const methods: SignInMethod[] = password ? ['password'] : []
  if (factor && has('totp')) methods.push('code')
  if (factor && has('passkey') && data?.passkeys === 'possible') methods.push('passkey')
  return methods
}

function MethodField({
  method,
  error,
}: {
  method: Exclude<SignInMethod, 'passkey'>
  error: string | undefined
}) {
  const { label, autoComplete } = FIELDS[method]
  const field = { label, autoComplete, name: method, error, autoFocus: true, required: true }
  return method === 'password' ? <PasswordField {...field} /> : <Field {...field} inputMode="numeric" />
}

async function credentialFor(method: SignInMethod, secret: string) {
  if (method === 'password') return { by: method, password: secret }
  if (method === 'code') return { by: method, code: secret }
  const { options } = await confirmPasskey({ body: {} })
  return { by: method, passkey: (await promptPasskey(options)) as Signed }
}

function ConfirmError({ error }: { error: Error }) {
  if (error instanceof NoPasskey) return <ProblemNote title="Not confirmed" detail={error.message} />
  if (!(error instanceof ProblemError))
    return <ProblemNote title="Not confirmed: no answer" detail="Check your connection and try again." />
  const { requestId, retryAfter } = error.more
  const detail =
    error.code === 'rate_limited'
      ? `It was wrong too often. Wait ${waitText(retryAfter ?? 60)}, then try again.`
      : error.message
  return <ProblemNote title="Not confirmed" detail={detail} requestId={requestId} />
}

const NOT_BY_SIGN_ON = 'You did not sign in here by single sign-on. Use your password.'
const NO_ANSWER = 'Your company’s sign-in gives no answer at the moment. Try again later.'

/** Redirects to the issuer that opened this session, and back to this page, where the change can then be made. */
function BySignOn({ isAlone }: { isAlone: boolean }) {
  const [error, setError] = useState('')
  const leave = async () => {
    const answer = await beginFreshSignOn(location.pathname + location.search)
    if (answer.kind === 'to-issuer') return location.assign(answer.location)
    setError(answer.kind === 'none' ? NOT_BY_SIGN_ON : NO_ANSWER)
  }
  return (
    <>
      <Button variant={isAlone ? 'primary' : 'quiet'} onClick={leave} className="justify-self-start">
        {isAlone ? 'Confirm by single sign-on' : 'Confirm by single sign-on instead'}
      </Button>
      <p role="alert" className="text-sm text-danger empty:hidden">
        {error}
      </p>
    </>
  )
}
