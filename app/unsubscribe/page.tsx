import type { Metadata } from 'next'
import { NoticeSwitches } from '#components/notifications/notice-switches.tsx'
import { Brand } from '#components/shell/frame/brand.tsx'
import { Card } from '#components/ui/card.tsx'
import type { NoticeSubscription } from '#lib/notifications/notices/rules.ts'
import { readNoticeSubscription } from '#lib/notifications/notices/unsubscribe.ts'
import { InvalidLink } from '../missing.tsx'

export const metadata: Metadata = { title: 'Email notifications' }

type Search = Promise<Record<string, string | string[] | undefined>>

/** Page behind a mail's unsubscribe link: a visit changes nothing, because mail scanners open every link. */
export default async function Page({ searchParams }: { searchParams: Search }) {
  const { link, done } = await searchParams
  const subscription = typeof link === 'string' ? await readNoticeSubscription(link) : undefined
  if (!subscription)
    return (
      <InvalidLink>
        The link may be incomplete: open it from the email itself. If the email is old, use the link in a
        newer one, or contact the operator of this console.
      </InvalidLink>
    )
  return (
    <main className="grid min-h-dvh grid-cols-1 place-items-center p-6 max-md:p-3.5">
      <Card className="w-full max-w-110 p-7 max-md:p-5">
        <Brand />
        <h1 className="mt-4 text-title">Email notifications</h1>
        <p className="mt-1 text-ink-3 wrap-anywhere">
          To {subscription.email}, of {subject(subscription)} of {subscription.customer}
        </p>
        {done === undefined ? null : (
          <p className="mt-4 rounded-control bg-accent-tint px-3 py-2 text-accent">
            Saved. Applies from now on.
          </p>
        )}
        <NoticeSwitches
          subscription={subscription}
          action={`/api/unsubscribe?link=${encodeURIComponent(String(link))}`}
        />
      </Card>
    </main>
  )
}

/** Returns a description of the notices of an address. */
function subject({ notices }: NoticeSubscription): string {
  const isOfInvoices = notices.some(({ notice }) => notice !== 'licenses')
  const isOfLicenses = notices.some(({ notice }) => notice === 'licenses')
  if (!isOfLicenses) return 'invoices'
  return isOfInvoices ? 'invoices and licenses' : 'licenses'
}
