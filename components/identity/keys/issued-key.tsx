'use client'

import Link from 'next/link'
import { CopyField } from '#components/ui/copy-field.tsx'
import { SecretOnce } from '#components/ui/secret-once.tsx'
import { may, type Role } from '#lib/platform/caller/rules.ts'
import { handKey } from './handed-key.ts'

/** New key, shown only once, and a shell command that lists with it invoices or assets, as its roles allow. */
export function IssuedKey({
  secret,
  roles,
  onDone,
}: {
  secret: string
  roles: readonly Role[]
  onDone: () => void
}) {
  const path = may({ roles }, 'invoice-viewer') ? '/billing/v1/invoices' : '/billing/v1/assets'
  const line = `curl -H "Authorization: Bearer ${secret}" '${location.origin}${path}'`
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
