import { type ComponentType, type ReactNode, Suspense, use, useEffect } from 'react'
import { Button } from './button.tsx'

/** Lazy component, with `preload` to load its script before it is rendered. */
export type LazyComponent<Props> = ((props: Props) => ReactNode) & { preload: () => void }

/**
 * Creates a component like `React.lazy` whose script loads on the first render, or earlier through `preload`. A failed
 * load shows an error in its place, and the next render tries again.
 * @param fetchPart loads the script and returns its component
 * @param Fallback placeholder during the load
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
    // A loaded component renders in the same frame, without suspending.
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

/** Error for a component whose script did not load: the connection failed, or a new release has removed the file. */
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
