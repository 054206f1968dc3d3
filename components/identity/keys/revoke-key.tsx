'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Moment } from '#components/platform/values/moment.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { visible } from '#components/ui/visible.ts'
import { revokeKey } from '#lib/identity/client.ts'
import type { Key } from '#lib/identity/keys/contract.ts'
import { type AboutKey, AskAboutKey } from './about-key.tsx'

/** Asks whether a key is to end, and says what that means. */
export function RevokeKey({ target, onChanged, onClose }: AboutKey) {
  const say = useToast()
  const [withNext, setWithNext] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      revokeKey({ params: { key_id: target.id }, query: withNext ? { following: 'true' } : {} }),
    onSuccess: ({ goesOn }) => {
      onChanged()
      onClose()
      const next = goesOn ? '. The key that followed it goes on.' : ''
      say(`Revoked: ${target.name}${next}`)
    },
  })
  return (
    <AskAboutKey
      what="Revoke key"
      notDone="Not revoked"
      error={error}
      isPending={isPending}
      onDo={mutate}
      onClose={onClose}
    >
      <p className="mt-2 wrap-anywhere text-ink-2">
        <strong className="font-[550] text-ink">{visible(target.name)}</strong> ends at once: what uses it is
        refused from its next request on. This can not be undone.
      </p>
      <LastUse target={target} />
      {target.replacedBy ? (
        <>
          <p className="mt-4 text-ink-2">
            This key was rotated. The key that followed it goes on, unless you revoke it as well: do so where
            somebody else may have this one, and may have rotated it.
          </p>
          <label className="mt-2 flex cursor-pointer items-center gap-2.5 py-1.5 text-sm">
            <input
              type="checkbox"
              checked={withNext}
              onChange={() => setWithNext(!withNext)}
              className="size-4 shrink-0 accent-accent"
            />
            Revoke the key that followed it, too
          </label>
        </>
      ) : null}
    </AskAboutKey>
  )
}

function LastUse({ target: { lastUseTime, lastUseAddress } }: { target: Key }) {
  return (
    <p className="mt-2 text-ink-3">
      {lastUseTime === undefined ? (
        'It was never used.'
      ) : (
        <>
          It was used last on <Moment at={lastUseTime} /> UTC
          {lastUseAddress ? ` from ${lastUseAddress}` : ''}.
        </>
      )}
    </p>
  )
}
