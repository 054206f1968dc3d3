import type { Metadata } from 'next'
import { LinkEnd } from '#components/identity/access/link-end.tsx'
import { LinkForm } from '#components/identity/access/link-form.tsx'
import { Entry } from '#components/shell/frame/entry.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { viewOfLink } from '#lib/identity/access/links/find-link.ts'

export const metadata: Metadata = { title: 'Invitation', referrer: 'no-referrer' }

/** Page behind an invitation link: only the form redeems the link, not a visit. */
export default async function Page({ params }: { params: Promise<{ secret: string }> }) {
  const { secret } = await params
  const view = await viewOfLink('invitation', secret)
  if (view.state !== 'open') return <LinkEnd state={view.state} />
  return (
    <Entry title="You are invited">
      <p className="mt-1 text-sm text-ink-2 wrap-anywhere">
        To the licenses and invoices of{' '}
        <b className="font-semibold">{escapeInvisible(view.customer ?? '')}</b>. You sign in as {view.email}.
      </p>
      <LinkForm secret={secret} email={view.email} passwordMode={view.passwordPrompt} />
    </Entry>
  )
}
