import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { ErrorPage } from '#components/ui/error-page.tsx'

export const metadata: Metadata = { title: 'Not found' }

export default function Page() {
  return (
    <main>
      <ErrorPage title="This link is not valid" action={<ButtonLink href="/">Go to the console</ButtonLink>}>
        It may have been cut off: open it from the email itself. If it is an old link, ask for another one.
      </ErrorPage>
    </main>
  )
}
