'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Moment } from '#components/platform/values/times.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { renameKey, revokeKey, rotateKey } from '#lib/identity/client.ts'
import type { Key } from '#lib/identity/keys/contract.ts'
import { DEFAULT_OVERLAP, OVERLAPS, type Overlap } from '#lib/identity/keys/rules.ts'
import { IssuedKey } from './issued-key.tsx'
import { OVERLAP } from './labels.ts'

/** Renames a key. */
export function RenameKey({ target, onChanged, onClose }: AboutKey) {
  const toast = useToast()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (name: string) => renameKey({ params: { key_id: target.id }, body: { name } }),
    onSuccess: ({ name }) => {
      onChanged()
      onClose()
      toast(`Renamed: ${name}`)
    },
  })
  const wrong = errorAt(error, '/name')
  return (
    <FormDialog
      title="Rename key"
      submit="Rename"
      pending={isPending}
      onSubmit={(form) => {
        mutate(String(new FormData(form).get('name')))
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        defaultValue={target.name}
        maxLength={100}
        required
        autoComplete="off"
        error={wrong && `The name ${wrong}.`}
      />
      {error && !wrong ? <NotDone title="Not renamed" error={error} /> : null}
    </FormDialog>
  )
}

/** Rotates a key, after asking for how long both keys should work. */
export function RotateKey({ target, onChanged, onClose }: AboutKey) {
  const [overlap, setOverlap] = useState<Overlap>(DEFAULT_OVERLAP)
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => rotateKey({ params: { key_id: target.id }, body: { overlap } }),
    onSuccess: onChanged,
    // The key must not outlive the dialog.
    gcTime: 0,
  })
  if (data)
    return (
      <Dialog title="Key rotated" onClose={onClose}>
        <IssuedKey secret={data.secret} roles={data.key.roles} onDone={onClose} />
      </Dialog>
    )
  return (
    <FormDialog
      title="Rotate key"
      submit="Rotate key"
      pending={isPending}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p className="wrap-anywhere text-ink-2">
        You get another key with the name, roles and limits of{' '}
        <strong className="font-[550] text-ink">{escapeInvisible(target.name)}</strong>.
      </p>
      <fieldset className="grid gap-1">
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
      <p aria-live="polite" className="text-sm text-ink-3">
        {OVERLAP[overlap].means}
      </p>
      {error ? <NotDone title="Not rotated" error={error} /> : null}
    </FormDialog>
  )
}

/** Asks for confirmation before revoking a key, with the consequences. */
export function RevokeKey({ target, onChanged, onClose }: AboutKey) {
  const toast = useToast()
  const [withNext, setWithNext] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      revokeKey({ params: { key_id: target.id }, query: withNext ? { following: 'true' } : {} }),
    onSuccess: ({ goesOn }) => {
      onChanged()
      onClose()
      const next = goesOn ? '. Its successor keeps working.' : ''
      toast(`Revoked: ${target.name}${next}`)
    },
  })
  return (
    <FormDialog
      title="Revoke key"
      submit="Revoke key"
      pending={isPending}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p className="wrap-anywhere text-ink-2">
        <strong className="font-[550] text-ink">{escapeInvisible(target.name)}</strong> stops working
        immediately: programs that use it are refused. This cannot be undone.
      </p>
      <LastUse target={target} />
      {target.replacedBy ? (
        <>
          <p className="text-ink-2">
            This key was rotated. Its successor keeps working unless you revoke it as well. Do that if someone
            else may have this key and may have rotated it.
          </p>
          <label className="flex cursor-pointer items-center gap-2.5 py-1.5 text-sm">
            <input
              type="checkbox"
              checked={withNext}
              onChange={() => setWithNext(!withNext)}
              className="size-4 shrink-0 accent-accent"
            />
            Also revoke its successor
          </label>
        </>
      ) : null}
      {error ? <NotDone title="Not revoked" error={error} /> : null}
    </FormDialog>
  )
}

function LastUse({ target: { lastUseTime, lastUseAddress } }: { target: Key }) {
  return (
    <p className="text-ink-3">
      {lastUseTime === undefined ? (
        'Never used.'
      ) : (
        <>
          Last used on <Moment at={lastUseTime} /> UTC
          {lastUseAddress ? ` from ${lastUseAddress}` : ''}.
        </>
      )}
    </p>
  )
}

/** Props of each dialog about one key. */
type AboutKey = { target: Key; onChanged: () => void; onClose: () => void }
