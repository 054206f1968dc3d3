import { ButtonLink } from '#components/ui/button-link.tsx'
import { ErrorPage } from '#components/ui/error-page.tsx'

const TEXTS = {
  used: ['This link was used', 'It has done its work. Sign in with your password.'],
  withdrawn: [
    'This link is not valid any more',
    'There is a newer one, or it was taken back. Use that of the latest mail, or ask for another one.',
  ],
  expired: ['This link has ended', 'Ask whoever invited you, or an Admin of your company, for another one.'],
  'sign-on': [
    'Your company uses single sign-on',
    'You need no password here: type your work e-mail at sign-in, and use single sign-on.',
  ],
  unknown: ['This link is not valid', 'It may have been cut off: open it from the mail or message itself.'],
} as const

/** State of a link that can't be used, and the way on. */
export function LinkEnd({ state }: { state: keyof typeof TEXTS }) {
  const [title, text] = TEXTS[state]
  return (
    <main>
      <ErrorPage
        title={title}
        action={
          <ButtonLink href="/sign-in" prefetch={false}>
            Go to sign-in
          </ButtonLink>
        }
      >
        {text}
      </ErrorPage>
    </main>
  )
}
