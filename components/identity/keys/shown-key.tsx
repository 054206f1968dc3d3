'use client'

import { Copied } from '#components/ui/copied.tsx'
import { ShownOnce } from '#components/ui/shown-once.tsx'

/** The call that says whose a key is: it works with each. */
const FIRST_CALL = '/auth/v1/validate'

/** A new key, the only time that it can be seen, and a line for the shell that shows that it works. */
export function ShownKey({ secret, onDone }: { secret: string; onDone: () => void }) {
  const line = `curl -H "Authorization: Bearer ${secret}" '${location.origin}${FIRST_CALL}'`
  return (
    <ShownOnce
      says="Copy the key now, and keep it where secrets are kept. It can not be shown again."
      onDone={onDone}
    >
      <Copied label="Key" text={secret} what="key" />
      <Copied label="Try it" text={line} what="as curl" />
    </ShownOnce>
  )
}
