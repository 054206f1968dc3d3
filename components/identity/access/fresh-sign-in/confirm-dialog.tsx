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
import { Problem } from '#lib/platform/api/problem.ts'
import { askPasskeyOf, NoPasskey } from '../passkey.ts'
import { PasswordField } from '../password-field.tsx'
import { beginFreshSignOn } from '../sign-on.ts'
import { useWays } from './ways.ts'

type Way = 'password' | 'code' | 'passkey'

const FIELDS = {
  password: { label: 'Password', autoComplete: 'current-password', wrong: 'This is not your password.' },
  code: { label: 'Code', autoComplete: 'one-time-code', wrong: 'This code is wrong, or was used before.' },
} as const

type Props = { email: string; settle: (isConfirmed: boolean) => void }

/** Asks the member for what proves who they are, of what works for them, and says whether they did. */
export function ConfirmDialog({ email, settle }: Props) {
  const may = useWays()
  const ways = useOwn(may)
  const [turned, setWay] = useState<Way>()
  const way = turned ?? ways[0]
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (given: string) => proveSession({ body: await proofBy(way ?? 'password', given) }),
    onSuccess: () => settle(true),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending || !way) return
    const field = event.currentTarget.elements.namedItem(way) as HTMLInputElement | null
    mutate(field?.value ?? '', { onError: () => field?.select() })
  }
  const turn = (other: Way) => {
    reset()
    setWay(other)
  }
  const isWrong = error instanceof Problem && error.code === 'invalid_request'
  return (
    <Dialog title="Confirm it’s you" onClose={() => settle(false)}>
      <p className="mt-1 text-ink-3">
        You signed in more than 10 minutes ago. What you are about to change asks who you are again.
      </p>
      <form method="post" onSubmit={submit} className="mt-4 grid gap-3.5">
        {/* Tells a password manager whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        {may ? null : <SkeletonRows count={1} />}
        {way && way !== 'passkey' ? (
          <WayField key={way} way={way} error={isWrong ? FIELDS[way].wrong : undefined} />
        ) : null}
        {error && (!isWrong || way === 'passkey') ? <Refused error={error} /> : null}
        {ways
          .filter((other) => other !== way)
          .map((other) => (
            <Button key={other} look="quiet" onClick={() => turn(other)}>
              {WAY_TEXTS[other]}
            </Button>
          ))}
        {may?.signOn ? <BySignOn isAlone={!way} /> : null}
        <div className="mt-2 flex justify-end gap-2">
          <Button look="quiet" onClick={() => settle(false)}>
            Cancel
          </Button>
          {way ? (
            <Button type="submit" look="primary" pending={isPending}>
              {way === 'passkey' ? 'Use the passkey' : 'Confirm'}
            </Button>
          ) : null}
        </div>
      </form>
    </Dialog>
  )
}

const WAY_TEXTS: Record<Way, string> = {
  password: 'Use your password',
  code: 'Use a code of your app',
  passkey: 'Use a passkey',
}

const NONE: { password: boolean; factor: boolean } = { password: false, factor: false }

/** By what the member can prove who they are here: by their password, where one opens it, and by what they have set up. */
function useOwn({ password, factor } = NONE): Way[] {
  const { data } = useQuery({
    queryKey: listFactors.key({}),
    queryFn: ({ signal }) => listFactors({}, signal),
    enabled: factor,
  })
  const has = (kind: 'totp' | 'passkey') => data?.factors.some((one) => one.kind === kind)
  const ways: Way[] = password ? ['password'] : []
  if (factor && has('totp')) ways.push('code')
  if (factor && has('passkey') && data?.passkeys === 'possible') ways.push('passkey')
  return ways
}

function WayField({ way, error }: { way: Exclude<Way, 'passkey'>; error: string | undefined }) {
  const { label, autoComplete } = FIELDS[way]
  const field = { label, autoComplete, name: way, error, autoFocus: true, required: true }
  return way === 'password' ? <PasswordField {...field} /> : <Field {...field} inputMode="numeric" />
}

async function proofBy(way: Way, given: string) {
  if (way === 'password') return { by: way, password: given }
  if (way === 'code') return { by: way, code: given }
  const { options } = await confirmPasskey({ body: {} })
  return { by: way, passkey: (await askPasskeyOf(options)) as Signed }
}

function Refused({ error }: { error: Error }) {
  if (error instanceof NoPasskey) return <ProblemNote title="Not confirmed" detail={error.message} />
  if (!(error instanceof Problem))
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

/** Leads to the issuer that opened this session, and back to this page, where the change can be made then. */
function BySignOn({ isAlone }: { isAlone: boolean }) {
  const [error, setError] = useState('')
  const leave = async () => {
    const answer = await beginFreshSignOn(location.pathname + location.search)
    if (answer.kind === 'to-issuer') return location.assign(answer.location)
    setError(answer.kind === 'none' ? NOT_BY_SIGN_ON : NO_ANSWER)
  }
  return (
    <>
      <Button look={isAlone ? 'primary' : 'quiet'} onClick={leave} className="justify-self-start">
        {isAlone ? 'Confirm by single sign-on' : 'Confirm by single sign-on instead'}
      </Button>
      <p role="alert" className="text-sm text-danger empty:hidden">
        {error}
      </p>
    </>
  )
}
