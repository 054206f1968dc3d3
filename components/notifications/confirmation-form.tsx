import { buttonVariants } from '#components/ui/button-variants.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { NOTICE_NAMES, type Notice } from '#lib/notifications/notices/rules.ts'

/** Request that an address gets notices, and whether it can be answered. */
type ConfirmationView = {
  state: 'open' | 'confirmed' | 'declined' | 'ended'
  email: string
  customer: string
  profile: string
  notices: readonly Notice[]
  attachesPdf: boolean
}

/**
 * Confirms or declines notices of an address. Plain forms, which work in any browser that a mail program opens.
 * @param action target of the forms
 */
export function ConfirmationForm({ view, action }: { view: ConfirmationView; action: string }) {
  const { state, notices, attachesPdf } = view
  const [email, customer, profile] = [view.email, view.customer, view.profile].map(escapeInvisible)
  if (state !== 'open')
    return (
      <p role="status" className="mt-4 rounded-control bg-info-tint px-3 py-2 text-info wrap-anywhere">
        {state === 'confirmed'
          ? `Confirmed. ${email} gets these emails from now on. Each of them has a link to unsubscribe.`
          : null}
        {state === 'declined'
          ? `Declined. ${email} gets no invoices of ${customer}, billed to ${profile}.`
          : null}
        {state === 'ended' ? 'This link no longer works. Ask for another one.' : null}
      </p>
    )
  return (
    <>
      <p className="mt-1 text-ink-2 wrap-anywhere">
        Send <b className="font-semibold">{email}</b> these emails about invoices of{' '}
        <b className="font-semibold">{customer}</b>, billed to {profile}?
      </p>
      <ul className="mt-3 list-disc pl-5">
        {notices.map((notice) => (
          <li key={notice}>
            {NOTICE_NAMES[notice]}
            {notice === 'new' && attachesPdf ? ', with their PDFs attached' : ''}
          </li>
        ))}
      </ul>
      <form method="post" action={action} className="mt-5 flex flex-wrap gap-2">
        <button type="submit" name="answer" value="confirm" className={buttonVariants('primary')}>
          Confirm
        </button>
        <button type="submit" name="answer" value="decline" className={buttonVariants('plain')}>
          Decline
        </button>
      </form>
      <p className="mt-4 text-xs text-ink-3">You can unsubscribe at any time by a link in each email.</p>
    </>
  )
}
