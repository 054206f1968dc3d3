import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/button.tsx'
import { WayOut } from '#components/ui/way-out.tsx'

export const metadata: Metadata = { title: 'Not found' }

export default function Page() {
  return (
    <main>
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
    </main>
  )
}
