'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
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
    <Dialog title="Save view" onClose={onClose}>
      <form
        method="post"
        className="mt-4 grid gap-3.5"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isPending) mutate(new FormData(event.currentTarget))
        }}
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
        <div className="mt-2 flex flex-wrap justify-end gap-2">
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
