import { buttonLook } from '#components/ui/button-look.ts'
import { WayOut } from '#components/ui/way-out.tsx'

// Inside the frame: a page of the console whose thing does not exist.
export default function Page() {
  return (
    <WayOut
      title="Nothing is here"
      action={
        <a href="/" className={buttonLook('primary')}>
          Go to the start
        </a>
      }
    >
      The address may be mistyped, or what it named is gone or belongs to another customer.
    </WayOut>
  )
}
