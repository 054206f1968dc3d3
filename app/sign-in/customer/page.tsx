import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { CustomerChoice } from '#components/access/customer-choice.tsx'
import { Entry } from '#components/frame/entry.tsx'
import { choicesOf } from '#lib/access/sign-ins/choices.ts'

export const metadata: Metadata = { title: 'Choose a customer' }

/** The step between a proof and a session, for members of several customers, who come here too to change. */
export default async function Page() {
  const choices = await choicesOf(await headers())
  // Who is signed in is led on from there.
  if (choices.length === 0) redirect('/sign-in')
  return (
    <Entry title="Choose a customer">
      <p className="mt-1 text-sm text-ink-3">Whose licenses and invoices do you want to see?</p>
      <CustomerChoice choices={choices} />
    </Entry>
  )
}
