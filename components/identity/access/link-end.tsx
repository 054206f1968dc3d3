import { ButtonLink } from '#components/ui/button-link.tsx'
import { ErrorPage } from '#components/ui/error-page.tsx'

const TEXTS = {
  used: ['This link was used', 'Each link works once. Sign in with your password.'],
  withdrawn: [
    'This link is no longer valid',
    'It was replaced or withdrawn. Use the link in the latest email, or ask for a new one.',
  ],
  expired: [
    'This link has expired',
    'Ask the person who invited you, or an Admin of your company, for a new one.',
  ],
  'sign-on': [
    'Your company uses single sign-on',
    'You don’t need a password: enter your work email at sign-in, and use single sign-on.',
  ],
  unknown: ['This link is not valid', 'It may be incomplete. Open it from the email or message itself.'],
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
