import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { ErrorPage } from '#components/ui/error-page.tsx'

export const metadata: Metadata = { title: 'Not found' }

export default function Page() {
  return (
    <main>
      <ErrorPage title="This link is not valid" action={<ButtonLink href="/">Go to the console</ButtonLink>}>
        It may be incomplete: open it from the mail itself. If the mail is old, use the link in a newer mail,
        or ask the operator of this console.
      </ErrorPage>
    </main>
  )
}
