import { buttonLook } from './button-look.ts'
import { WayOut } from './way-out.tsx'

/** What an address that names nothing shows, with the way out. */
export function NothingHere() {
  return (
    <WayOut
      title="Nothing is here"
      action={
        <a href="/" className={buttonLook('primary')}>
          Back to the start
        </a>
      }
    >
      The address may be mistyped, or what it named is gone or belongs to another customer.
    </WayOut>
  )
}
