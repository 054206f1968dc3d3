import { useMutation, useQueryClient } from '@tanstack/react-query'
import { whyNot } from '#components/platform/problem/why-not.ts'
import { useToast } from '#components/ui/toast.tsx'
import type { Input } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { changeView as contract, View } from '#lib/workspace/views/contract.ts'
import { changeView, listViews, removeView } from '#lib/workspace/views/queries.ts'

/** Changes and removes views. What another tab has removed meanwhile is said, and goes. */
export function useViewChange(view: View, onDone: () => void) {
  const client = useQueryClient()
  const say = useToast()
  const given = { params: { view_id: view.id } }
  const refresh = () => client.invalidateQueries({ queryKey: listViews.key({}) })
  const done = async (text: string) => {
    await refresh()
    say(text)
    onDone()
  }
  const onError = (error: Error) => {
    if (error instanceof Problem && error.code === 'not_found') done(`Removed meanwhile: ${view.name}`)
  }
  const change = useMutation({
    mutationFn: (body: Input<typeof contract>['body']) => changeView({ ...given, body }),
    onSuccess: ({ name }) => done(`Saved: ${name}`),
    onError,
  })
  const move = useMutation({
    mutationFn: (position: number) => changeView({ ...given, body: { position } }),
    onSuccess: refresh,
    onError: (error) => {
      onError(error)
      say(whyNot(error))
    },
  })
  const remove = useMutation({
    mutationFn: () => removeView({ ...given, body: {} }),
    onSuccess: ({ name }) => done(`Removed: ${name}`),
    onError,
  })
  return { change, move, remove }
}
