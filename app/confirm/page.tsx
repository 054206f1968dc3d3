import type { Metadata } from 'next'
import { ConfirmationForm } from '#components/notifications/confirmation-form.tsx'
import { Brand } from '#components/shell/frame/brand.tsx'
import { Card } from '#components/ui/card.tsx'
import { readConfirmation } from '#lib/notifications/recipients/confirm.ts'
import { InvalidLink } from '../missing.tsx'

export const metadata: Metadata = { title: 'Confirm invoice emails', referrer: 'no-referrer' }

type Search = Promise<Record<string, string | string[] | undefined>>

/** Page behind a confirmation link: a visit changes nothing, because mail scanners open every link. */
export default async function Page({ searchParams }: { searchParams: Search }) {
  const { link } = await searchParams
  const view = typeof link === 'string' ? await readConfirmation(link) : undefined
  if (!view)
    return (
      <InvalidLink>
        The link may be incomplete: open it from the email itself. If the link is old, ask for another one.
      </InvalidLink>
    )
  return (
    <main className="grid min-h-dvh grid-cols-1 place-items-center p-6 max-md:p-3.5">
      <Card className="w-full max-w-110 p-7 max-md:p-5">
        <Brand />
        <h1 className="mt-4 text-title">Invoice emails</h1>
        <ConfirmationForm view={view} action={`/api/confirm?link=${encodeURIComponent(String(link))}`} />
      </Card>
    </main>
  )
}
