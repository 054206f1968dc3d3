'use client'

import { CopyField } from '#components/ui/copy-field.tsx'
import { SecretOnce } from '#components/ui/secret-once.tsx'

/** Call that returns the owner of a key: it works with every key. */
const EXAMPLE_PATH = '/auth/v1/validate'

/** A new key, the only time that it can be seen, and a line for the shell that shows that it works. */
export function IssuedKey({ secret, onDone }: { secret: string; onDone: () => void }) {
  const line = `curl -H "Authorization: Bearer ${secret}" '${location.origin}${EXAMPLE_PATH}'`
  return (
    <SecretOnce
      instructions="Copy the key now, and keep it where secrets are kept. It can not be shown again."
      onDone={onDone}
    >
      <CopyField label="Key" text={secret} copyLabel="key" />
      <CopyField label="Try it" text={line} copyLabel="as curl" />
    </SecretOnce>
  )
}
