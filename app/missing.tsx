import type { ReactNode } from 'react'
import { buttonVariants } from '#components/ui/button-variants.ts'
import { ErrorPage } from '#components/ui/error-page.tsx'
import { setPageStatus } from './page-status.ts'

/** Content for an address without a page, with the status 404. */
export function Missing() {
  setPageStatus(404)
  return <MissingContent />
}

/** Content for an address without a page. Next renders it with each page, in case there is none. */
export function MissingContent() {
  return (
    <ErrorPage
      title="Page not found"
      action={
        <a href="/" className={buttonVariants('primary')}>
          Go to Home
        </a>
      }
    >
      The address may be wrong, or the page may have been removed or belong to another customer.
    </ErrorPage>
  )
}

/** Page for a link of an email that is not valid, with the status 404. */
export function InvalidLink({ children }: { children: ReactNode }) {
  setPageStatus(404)
  return (
    <main>
      <ErrorPage
        title="This link is not valid"
        action={
          <a href="/" className={buttonVariants('plain')}>
            Go to the console
          </a>
        }
      >
        {children}
      </ErrorPage>
    </main>
  )
}
