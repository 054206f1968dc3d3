import { buttonVariants } from './button-variants.ts'
import { ErrorPage } from './error-page.tsx'

/** Page for an unknown address, with the way out. */
export function NothingHere() {
  return (
    <ErrorPage
      title="Nothing is here"
      action={
        <a href="/" className={buttonVariants('primary')}>
          Back to the start
        </a>
      }
    >
      The address may be mistyped, or what it named is gone or belongs to another customer.
    </ErrorPage>
  )
}
