'use client'

import Link from 'next/link'
import { CopyField } from '#components/ui/copy-field.tsx'
import { SecretOnce } from '#components/ui/secret-once.tsx'
import { handKey } from './handed-key.ts'

/** Call that returns the owner of a key: it works with every key. */
const EXAMPLE_PATH = '/auth/v1/validate'

/** New key, shown only once, and a shell command that tests it. */
export function IssuedKey({ secret, onDone }: { secret: string; onDone: () => void }) {
  const line = `curl -H "Authorization: Bearer ${secret}" '${location.origin}${EXAMPLE_PATH}'`
  return (
    <SecretOnce
      instructions="Copy the key now, and store it securely. You won’t see it again."
      onDone={onDone}
    >
      <CopyField label="Key" text={secret} copyLabel="key" />
      <CopyField label="Try it" text={line} copyLabel="as curl" />
      <p className="text-sm">
        <Link
          href="/developers"
          prefetch={false}
          onClick={() => handKey(secret)}
          className="text-accent underline"
        >
          Quick start with this key
        </Link>
      </p>
    </SecretOnce>
  )
}
