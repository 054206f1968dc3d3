'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { useHydrated } from '#components/ui/hydrated.ts'
import { askPasskey } from '#lib/identity/client.ts'
import { leadOn, signInByPasskey } from './next-auth.ts'
import { askPasskeyOf, passkeyText } from './passkey.ts'

/** Signs in with a passkey alone, and goes on to where `to` says. */
export function PasskeyButton({ to }: { to: () => string }) {
  const hydrated = useHydrated()
  const [pending, setPending] = useState(false)
  const [error, setError] = useState('')
  const enter = async () => {
    setPending(true)
    setError('')
    try {
      const { options } = await askPasskey({ body: {} })
      const answer = await signInByPasskey(await askPasskeyOf(options))
      if (leadOn(answer, to())) return
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
