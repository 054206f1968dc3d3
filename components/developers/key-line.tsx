'use client'

import { useEffect, useState } from 'react'
import { readHandedKey } from '#components/identity/keys/handed-key.ts'
import { Code } from './code.tsx'

/** The command that sets the key of all examples: the key that the reader has just created, else a placeholder. */
export function KeyLine({ text, placeholder }: { text: string; placeholder: string }) {
  const [secret, setSecret] = useState<string>()
  useEffect(() => {
    const handed = readHandedKey()
    if (handed) setSecret(handed)
  }, [])
  return (
    <>
      <Code text={secret ? text.replace(placeholder, secret) : text} label="the command" />
      {secret ? (
        <p role="status" className="text-sm text-ink-3">
          This is the key that you have just created. It is shown until you leave this page.
        </p>
      ) : null}
    </>
  )
}
