'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { beginFreshSignOn } from '../sign-on.ts'

const NOT_BY_SIGN_ON = 'You did not sign in here by single sign-on. Use your password.'
const NO_ANSWER = 'Your company’s sign-in gives no answer at the moment. Try again later.'

/** Leads to the issuer that opened this session, and back to this page, where the change can be made then. */
export function BySignOn({ isAlone }: { isAlone: boolean }) {
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
