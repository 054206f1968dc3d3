'use client'

import { lazy, Suspense } from 'react'
import { buttonLook } from './button-look.ts'
import { WayOut } from './way-out.tsx'

// Three pages stand ready to say that something failed, on every screen: what they rarely need comes when it is needed.
// Where it does not come either, the name alone has to do.
const RequestId = lazy(() =>
  import('./request-id.tsx').then(
    (module) => ({ default: module.RequestId }),
    () => ({ default: PlainId }),
  ),
)

function PlainId({ id }: { id: string }) {
  return (
    <span className="text-xs text-ink-2">
      Error <code className="font-mono break-all">{id}</code>
    </span>
  )
}

/** A page that failed. `digest` is the name under which the server's log has it. */
export function PageError({ digest, onRetry }: { digest: string | undefined; onRetry: () => void }) {
  return (
    <WayOut
      title="This page could not be shown"
      action={
        <>
          <button type="button" className={buttonLook('primary')} onClick={onRetry}>
            Try again
          </button>
          {/* A whole new page: what failed may be in this one. */}
          <a href="/" className={buttonLook('plain')}>
            Back to the start
          </a>
        </>
      }
    >
      <p role="alert">Something failed on our side, or the service is not available for the moment.</p>
      {digest ? (
        <p className="mt-2">
          <Suspense fallback={<PlainId id={digest} />}>
            <RequestId what="Error" id={digest} />
          </Suspense>
        </p>
      ) : null}
    </WayOut>
  )
}
