import { useRouter } from 'next/navigation'
import { useOptimistic, useTransition } from 'react'

/**
 * The view that a list screen is asked for. The controls show `wanted` at once; what was there stays, `isWaiting`,
 * until the page at the new address has come. `go` leads there, as a step of its own on the way back unless it
 * replaces the address.
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
