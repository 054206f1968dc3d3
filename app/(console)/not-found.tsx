import { ButtonLink } from '#components/ui/button.tsx'
import { WayOut } from '#components/ui/way-out.tsx'

// Inside the frame: a page of the console whose thing does not exist.
export default function Page() {
  return (
    <WayOut
      title="Nothing is here"
      action={
        <ButtonLink look="primary" href="/">
          Go to the start
        </ButtonLink>
      }
    >
      The address may be mistyped, or what it named is gone or belongs to another customer.
    </WayOut>
  )
}
