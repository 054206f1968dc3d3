'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { createView, listViews } from '#lib/workspace/client.ts'
import { MAX_NAME_LENGTH, type ViewPath } from '#lib/workspace/views/rules.ts'
import { Check } from './check.tsx'

/** Saves the present view of a list under a name. `query` is its query string, without a page. */
export function SaveView({
  path,
  query,
  mayShare,
  onClose,
}: {
  path: ViewPath
  query: string
  mayShare: boolean
  onClose: () => void
}) {
  const client = useQueryClient()
  const toast = useToast()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (form: FormData) => {
      const body = {
        name: String(form.get('name')),
        isPinned: form.has('isPinned'),
        isShared: form.has('isShared'),
      }
      return createView({ body: { ...body, path, query } })
    },
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: listViews.key({}) })
      onClose()
      toast(`Saved: ${name}`)
    },
  })
  const wrong = errorAt(error, '/name')
  return (
    <FormDialog
      title="Save view"
      submit="Save"
      pending={isPending}
      onSubmit={(form) => {
        mutate(new FormData(form))
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="Filters, search and order are kept, the page is not."
        name="name"
        maxLength={MAX_NAME_LENGTH}
        required
        autoComplete="off"
        error={wrong && `The name ${wrong}.`}
      />
      <Check name="isPinned" checked>
        In the navigation
      </Check>
      {mayShare ? <Check name="isShared">For everyone at your company</Check> : null}
      {error && !wrong ? <NotDone title="Not saved" error={error} /> : null}
    </FormDialog>
  )
}
