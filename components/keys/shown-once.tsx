'use client'

import { useEffect, useRef } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Copied } from '#components/ui/copied.tsx'

/** The call that says whose a key is: it works with each. */
const FIRST_CALL = '/auth/v1/validate'

/** A new key, the only time that it can be seen, and a line for the shell that shows that it works. */
export function ShownOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
  const panel = useRef<HTMLDivElement>(null)
  // The form that had the focus is gone.
  useEffect(() => panel.current?.focus(), [])
  const line = `curl -H "Authorization: Bearer ${secret}" '${location.origin}${FIRST_CALL}'`
  return (
    <div ref={panel} tabIndex={-1} className="mt-3 grid gap-4 outline-none">
      <p className="text-ink-2">
        Copy the key now, and keep it where secrets are kept. It can not be shown again.
      </p>
      <Copied label="Key" text={secret} what="key" />
      <Copied label="Try it" text={line} what="as curl" />
      <div className="flex justify-end">
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  )
}
