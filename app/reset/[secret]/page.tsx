import type { Metadata } from 'next'
import { LinkEnd } from '#components/identity/access/link-end.tsx'
import { LinkForm } from '#components/identity/access/link-form.tsx'
import { Entry } from '#components/shell/frame/entry.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { viewOfLink } from '#lib/identity/access/links/find-link.ts'

export const metadata: Metadata = { title: 'New password', referrer: 'no-referrer' }

/** Page behind a password link: only the form redeems the link, not a visit. */
export default async function Page({ params }: { params: Promise<{ secret: string }> }) {
  const { secret } = await params
  const view = await viewOfLink('reset', secret)
  if (view.state !== 'open') return <LinkEnd state={view.state} />
  return (
    <Entry title="Set a new password">
      <p className="mt-1 text-sm text-ink-2 wrap-anywhere">
        For {view.email}
        {view.customer === undefined ? '' : ` at ${escapeInvisible(view.customer)}`}. Setting it signs you out
        everywhere.
      </p>
      <LinkForm secret={secret} email={view.email} passwordMode={view.passwordPrompt} />
    </Entry>
  )
}
