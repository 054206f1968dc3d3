import type { Metadata } from 'next'
import Link from 'next/link'
import { ForgottenForm } from '#components/identity/access/forgotten-form.tsx'
import { Entry } from '#components/shell/frame/entry.tsx'
import { mailSettings } from '#lib/platform/mail/settings.ts'

export const metadata: Metadata = { title: 'Reset password' }

/** Without a mail server, the page names a contact instead. */
export default function Page() {
  return (
    <Entry title="Reset password">
      {mailSettings() ? (
        <ForgottenForm />
      ) : (
        <p className="mt-3 text-sm text-ink-2">
          Email isn’t set up. Ask an Admin of your company for a link to set a new password. If there is no
          other Admin, ask your reseller.
        </p>
      )}
      <p className="mt-4 text-center text-sm">
        <Link href="/sign-in" prefetch={false} className="text-accent underline">
          Back to sign-in
        </Link>
      </p>
    </Entry>
  )
}
