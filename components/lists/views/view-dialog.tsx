'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { usePathname, useSearchParams } from 'next/navigation'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt, whyNot } from '#components/platform/problem/why-not.ts'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { useToast } from '#components/ui/toast.tsx'
import type { Input } from '#lib/platform/api/contract.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { changeView, listViews, removeView } from '#lib/workspace/client.ts'
import type { changeView as contract, View, Views } from '#lib/workspace/views/contract.ts'
import { isSameQuery, MAX_NAME_LENGTH } from '#lib/workspace/views/rules.ts'
import { Check } from './check.tsx'
import { currentViewSearch } from './current-view.ts'

/** Edits a view's name, place and sharing, and removes it. */
export function ViewDialog({ view, all, onClose }: { view: View; all: Views; onClose: () => void }) {
  const { change, move, remove } = useViewChange(view, onClose)
  const [path, search] = [usePathname(), currentViewSearch(useSearchParams())]
  const isOther = path === view.path && !isSameQuery(search, view.query)
  const siblings = all.views.filter((one) => one.path === view.path && one.isShared === view.isShared)
  const index = siblings.findIndex(({ id }) => id === view.id)
  const error = change.error ?? remove.error
  const wrong = errorAt(change.error, '/name')
  const isPending = change.isPending || remove.isPending
  return (
    <FormDialog
      title="Change view"
      submit="Save"
      pending={change.isPending}
      others={
        <Button
          variant="quiet"
          pending={remove.isPending}
          onClick={() => isPending || remove.mutate()}
          className="mr-auto text-danger"
        >
          Remove
        </Button>
      }
      onSubmit={(form) => {
        if (isPending) return
        const fields = new FormData(form)
        const isShared = fields.has('isShared')
        change.mutate({
          name: String(fields.get('name')),
          isPinned: fields.has('isPinned'),
          ...(all.mayShare && isShared !== view.isShared ? { isShared } : {}),
          ...(fields.has('query') ? { query: search } : {}),
        })
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        defaultValue={view.name}
        maxLength={MAX_NAME_LENGTH}
        required
        autoComplete="off"
        error={wrong && `The name ${wrong}.`}
      />
      <Check name="isPinned" checked={view.isPinned}>
        In the navigation
      </Check>
      {all.mayShare ? (
        <Check name="isShared" checked={view.isShared}>
          For everyone at your company
        </Check>
      ) : null}
      {isOther ? <Check name="query">Show what the list shows now</Check> : null}
      {siblings.length > 1 ? (
        <div className="flex flex-wrap gap-2">
          <Button disabled={index === 0} pending={move.isPending} onClick={() => move.mutate(index - 1)}>
            Move up
          </Button>
          <Button
            disabled={index === siblings.length - 1}
            pending={move.isPending}
            onClick={() => move.mutate(index + 1)}
          >
            Move down
          </Button>
          <span role="status" className="self-center text-sm text-ink-3 tabular-nums">
            {`${index + 1} of ${siblings.length}`}
          </span>
        </div>
      ) : null}
      {error && !wrong ? <NotDone title="Not done" error={error} /> : null}
    </FormDialog>
  )
}

/** Changes and removes views. A view that another tab has removed is reported, and disappears. */
function useViewChange(view: View, onDone: () => void) {
  const client = useQueryClient()
  const toast = useToast()
  const input = { params: { view_id: view.id } }
  const refresh = () => client.invalidateQueries({ queryKey: listViews.key({}) })
  const done = async (text: string) => {
    await refresh()
    toast(text)
    onDone()
  }
  const onError = (error: Error) => {
    if (error instanceof ProblemError && error.code === 'not_found') done(`Removed meanwhile: ${view.name}`)
  }
  const change = useMutation({
    mutationFn: (body: Input<typeof contract>['body']) => changeView({ ...input, body }),
    onSuccess: ({ name }) => done(`Saved: ${name}`),
    onError,
  })
  const move = useMutation({
    mutationFn: (position: number) => changeView({ ...input, body: { position } }),
    onSuccess: refresh,
    onError: (error) => {
      onError(error)
      toast(whyNot(error))
    },
  })
  const remove = useMutation({
    mutationFn: () => removeView({ ...input, body: {} }),
    onSuccess: ({ name }) => done(`Removed: ${name}`),
    onError,
  })
  return { change, move, remove }
}
