import { buttonVariants } from './button-variants.ts'
import { ErrorPage } from './error-page.tsx'

/** Page for an unknown address, with the way out. */
export function NothingHere() {
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
