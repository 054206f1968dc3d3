'use client'

import { Button } from './button.tsx'
import { buttonLook } from './button-look.ts'
import { CopyButton } from './copy-button.tsx'
import { WayOut } from './way-out.tsx'

/** A page that failed. `digest` is the name under which the server's log has it. */
export function PageError({ digest, onRetry }: { digest: string | undefined; onRetry: () => void }) {
  return (
    <WayOut
      title="This page could not be shown"
      action={
        <>
          <Button look="primary" onClick={onRetry}>
            Try again
          </Button>
          {/* A whole new page: what failed may be in this one. */}
          <a href="/" className={buttonLook('plain')}>
            Go to the start
          </a>
        </>
      }
    >
      <p role="alert">Something failed on our side, or the service is not available for the moment.</p>
      {digest ? (
        <p className="mt-2 flex flex-wrap items-center justify-center text-xs">
          Error <code className="ml-1 font-mono">{digest}</code>
          <CopyButton text={() => digest}>Copy</CopyButton>
        </p>
      ) : null}
    </WayOut>
  )
}
