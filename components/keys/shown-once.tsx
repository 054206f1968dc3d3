'use client'

import { useEffect, useRef } from 'react'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'

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
      <Copied label="Key" text={secret} />
      <Copied label="Try it" text={line} />
      <div className="flex justify-end">
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  )
}

function Copied({ label, text }: { label: string; text: string }) {
  return (
    <div className="grid gap-1.5">
      <div className="flex items-center justify-between gap-2">
        <span className="text-sm font-medium">{label}</span>
        <CopyButton text={() => text}>Copy {label === 'Key' ? 'key' : 'as curl'}</CopyButton>
      </div>
      <code className="block rounded-control border border-line-2 bg-sunken px-3 py-2 text-sm wrap-anywhere">
        {text}
      </code>
    </div>
  )
}
