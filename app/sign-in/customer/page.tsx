import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { CustomerChoice } from '#components/identity/access/customer-choice.tsx'
import { Entry } from '#components/shell/frame/entry.tsx'
import { choicesOf } from '#lib/identity/access/sign-ins/choices.ts'
import { stepAt } from '#lib/identity/access/sign-ins/steps.ts'

export const metadata: Metadata = { title: 'Choose a customer' }

/**
 * Step between a proof of identity and a session, for members of several customers, who can also switch here; the other
 * steps start from this page.
 */
export default async function Page({
  searchParams,
}: {
  searchParams: Promise<{ from?: string | string[]; without?: string | string[] }>
}) {
  const { from, without } = await searchParams
  const requestHeaders = await headers()
  const { step } = (await stepAt(requestHeaders.get('cookie') ?? '')) ?? {}
  const search = typeof from === 'string' ? `?from=${encodeURIComponent(from)}` : ''
  const goesWithout = step?.kind === 'factor' && step.mayGoWithout && without === '1'
  if (step?.kind === 'factor' && !goesWithout) redirect(`/sign-in/factor${search}`)
  if (step?.kind === 'set-up') redirect(`/sign-in/set-up${search}`)
  const choices = await choicesOf(requestHeaders)
  // The sign-in page redirects a signed-in member further.
  if (choices.length === 0) redirect('/sign-in')
  return (
    <Entry title="Choose a customer">
      <p className="mt-1 text-sm text-ink-3">Whose licenses and invoices do you want to see?</p>
      <CustomerChoice choices={choices} />
    </Entry>
  )
}
