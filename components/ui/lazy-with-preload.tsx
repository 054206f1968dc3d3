import { type ComponentType, type ReactNode, Suspense, use, useEffect } from 'react'
import { Button } from './button.tsx'

/** A part of a screen, and the way to fetch its script before it is shown: `ahead`. */
export type LazyComponent<Props> = ((props: Props) => ReactNode) & { preload: () => void }

/**
 * A part whose script comes when it is shown for the first time, or when somebody is about to ask for it. Where the script
 * can't be had, that is said in its place, and whoever asks for it the next time tries again.
 * @param fetchPart fetches the script and gives the component of it
 * @param Fallback keeps its place
 */
export function lazyWithPreload<Props extends object>(
  fetchPart: () => Promise<ComponentType<Props>>,
  Fallback: (props: Props) => ReactNode = nothing,
): LazyComponent<Props> {
  let request: Promise<ComponentType<Props>> | undefined
  let present: ComponentType<Props> | undefined
  let isMissing = false
  const load = () => {
    isMissing = false
    request = fetchPart().then(
      (part) => {
        present = part
        return part
      },
      () => {
        isMissing = true
        return Missing
      },
    )
    return request
  }
  const Missing = () => {
    useEffect(
      () => () => {
        request = undefined
      },
      [],
    )
    return <NotLoaded />
  }
  const Inner = (props: Props) => {
    // One that is there is shown in the very frame that asks for it.
    const Part = present ?? use(request ?? load())
    return <Part {...props} />
  }
  const LazyPart = (props: Props) => (
    <Suspense
      fallback={
        <>
          <span hidden aria-busy="true" />
          <Fallback {...props} />
        </>
      }
    >
      <Inner {...props} />
    </Suspense>
  )
  return Object.assign(LazyPart, {
    preload() {
      if (!request || isMissing) void load()
    },
  })
}

function nothing() {
  return null
}

/** In the place of a part whose script did not come: the connection broke, or a new release has taken it away. */
function NotLoaded() {
  return (
    <div
      role="alert"
      className="fixed inset-x-4 bottom-4 z-50 mx-auto flex max-w-md items-center gap-3 rounded-card border border-line-2 bg-surface py-2 pr-2 pl-4 text-left text-base text-ink shadow-float print:hidden"
    >
      <span className="flex-1">This part of the page could not be loaded.</span>
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </div>
  )
}
