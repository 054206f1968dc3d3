'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '#components/ui/dialog.tsx'
import { visible } from '#components/ui/visible.ts'
import { rotateKey } from '#lib/identity/client.ts'
import { DEFAULT_OVERLAP, OVERLAPS, type Overlap } from '#lib/identity/keys/rules.ts'
import { type AboutKey, AskAboutKey } from './about-key.tsx'
import { ShownKey } from './shown-key.tsx'
import { OVERLAP } from './words.ts'

/** Makes a key that follows another one, after asking for how long both are to work. */
export function RotateKey({ target, onChanged, onClose }: AboutKey) {
  const [overlap, setOverlap] = useState<Overlap>(DEFAULT_OVERLAP)
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => rotateKey({ params: { key_id: target.id }, body: { overlap } }),
    onSuccess: onChanged,
    // The key is to be nowhere once this is closed.
    gcTime: 0,
  })
  if (data)
    return (
      <Dialog title="Key rotated" onClose={onClose}>
        <ShownKey secret={data.secret} onDone={onClose} />
      </Dialog>
    )
  return (
    <AskAboutKey
      what="Rotate key"
      notDone="Not rotated"
      error={error}
      isPending={isPending}
      onDo={mutate}
      onClose={onClose}
    >
      <p className="mt-2 wrap-anywhere text-ink-2">
        You get another key with the name, roles and limits of{' '}
        <strong className="font-[550] text-ink">{visible(target.name)}</strong>.
      </p>
      <fieldset className="mt-4 grid gap-1">
        <legend className="mb-1.5 text-sm font-medium">Both keys work for</legend>
        {OVERLAPS.map((each) => (
          <label key={each} className="flex cursor-pointer items-center gap-2.5 py-1.5 text-sm">
            <input
              type="radio"
              name="overlap"
              value={each}
              checked={overlap === each}
              onChange={() => setOverlap(each)}
              className="size-4 shrink-0 accent-accent"
            />
            {OVERLAP[each].text}
          </label>
        ))}
      </fieldset>
      <p aria-live="polite" className="mt-2 text-sm text-ink-3">
        {OVERLAP[overlap].means}
      </p>
    </AskAboutKey>
  )
}
