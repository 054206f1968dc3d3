import type { Metadata } from 'next'
import { buttonLook } from '#components/ui/button-look.ts'
import { WayOut } from '#components/ui/way-out.tsx'

export const metadata: Metadata = { title: 'Not found' }

export default function Page() {
  return (
    <main>
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
    </main>
  )
}
