'use client'

import { useMutation } from '@tanstack/react-query'
import { errorAt } from '#components/platform/problem/error-at.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { renameKey } from '#lib/identity/client.ts'
import type { AboutKey } from './about-key.tsx'

/** Gives a key another name. */
export function RenameKey({ target, onChanged, onClose }: AboutKey) {
  const say = useToast()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (name: string) => renameKey({ params: { key_id: target.id }, body: { name } }),
    onSuccess: ({ name }) => {
      onChanged()
      onClose()
      say(`Renamed: ${name}`)
    },
  })
  const wrong = errorAt(error, '/name')
  return (
    <Dialog title="Rename key" onClose={onClose}>
      <form
        method="post"
        className="mt-4 grid gap-3.5"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isPending) mutate(String(new FormData(event.currentTarget).get('name')))
        }}
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
        <div className="mt-2 flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" pending={isPending}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
