'use client'

import { buttonVariants } from './button-variants.ts'
import { ErrorPage } from './error-page.tsx'
import { RequestId } from './request-id.tsx'

/** Page for an unexpected error. `digest` is its id in the server's log. */
export function UnexpectedErrorPage({
  digest,
  onRetry,
}: {
  digest: string | undefined
  onRetry: () => void
}) {
  return (
    <ErrorPage
      title="This page could not be shown"
      action={
        <>
          <button type="button" className={buttonVariants('primary')} onClick={onRetry}>
            Try again
          </button>
          {/* Full page load: the failed part may belong to this page. */}
          <a href="/" className={buttonVariants('plain')}>
            Go to Home
          </a>
        </>
      }
    >
      <p role="alert">Something failed on our side, or the service is not available for the moment.</p>
      {digest ? (
        <p className="mt-2">
          <RequestId label="Error" id={digest} />
        </p>
      ) : null}
    </ErrorPage>
  )
}
