import { useRouter } from 'next/navigation'
import { useOptimistic, useTransition } from 'react'

/**
 * Manages the view of a list screen. The controls show `requestedView` optimistically; the previous rows stay, with
 * `isWaiting`, until the page of the new address has loaded. `go` navigates with a history entry of its own, or
 * replaces the present one.
 */
export function useView<View>(view: View, hrefOf: (view: View) => string) {
  const router = useRouter()
  const [isWaiting, startTransition] = useTransition()
  const [requestedView, setRequestedView] = useOptimistic(view)
  const go = (next: View, how: 'push' | 'replace' = 'push') =>
    startTransition(() => {
      setRequestedView(next)
      router[how](hrefOf(next), { scroll: false })
    })
  return { requestedView, isWaiting, go }
}
