'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
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
    <FormDialog
      title={title}
      about={note}
      submit="Save"
      pending={isPending}
      onSubmit={(form) => {
        const typed = new FormData(form)
        mutate(Object.fromEntries(fields.map(({ name }) => [name, String(typed.get(name)).trim() || null])))
      }}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
