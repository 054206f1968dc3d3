'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { useToast } from '#components/ui/toast.tsx'

/** Editable field: its name on the wire, its label, and its present value. */
export type DetailField = { name: string; label: string; hint?: string; value: string | undefined }

const MAX_LENGTH = 100

/** Edits the posting details of the next invoices. An empty field removes its value. */
export function EditDetails({
  title,
  note,
  fields,
  save,
  onClose,
}: {
  title: string
  note: string
  fields: readonly DetailField[]
  /** Saves the changes by field name; null removes a value. */
  save(change: Record<string, string | null>): Promise<void>
  onClose(): void
}) {
  const toast = useToast()
  const { mutate, isPending, error } = useMutation({
    mutationFn: save,
    onSuccess: () => {
      onClose()
      toast('Saved. The next invoices carry it.')
    },
  })
  const isPlaced = fields.some(({ name }) => errorAt(error, `/${name}`))
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        method="post"
        className="mt-2 grid gap-3.5"
        onSubmit={(event) => {
          event.preventDefault()
          if (isPending) return
          const form = new FormData(event.currentTarget)
          mutate(Object.fromEntries(fields.map(({ name }) => [name, String(form.get(name)).trim() || null])))
        }}
      >
        <p className="text-sm text-ink-2">{note}</p>
        {fields.map(({ name, label, hint, value }) => {
          const wrong = errorAt(error, `/${name}`)
          return (
            <Field
              key={name}
              label={label}
              name={name}
              defaultValue={value ?? ''}
              maxLength={MAX_LENGTH}
              autoComplete="off"
              {...(hint ? { hint } : {})}
              error={wrong && `${label}: ${wrong}.`}
            />
          )
        })}
        {error && !isPlaced ? <NotDone title="Not saved" error={error} /> : null}
        <div className="mt-2 flex justify-end gap-2">
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" pending={isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
