import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ConfirmationForm } from '#components/notifications/confirmation-form.tsx'
import { Brand } from '#components/shell/frame/brand.tsx'
import { Card } from '#components/ui/card.tsx'
import { readConfirmation } from '#lib/notifications/recipients/confirm.ts'

export const metadata: Metadata = { title: 'Confirm invoice emails', referrer: 'no-referrer' }

type Search = Promise<Record<string, string | string[] | undefined>>

/** Page behind a confirmation link: a visit changes nothing, because mail scanners open every link. */
export default async function Page({ searchParams }: { searchParams: Search }) {
  const { link } = await searchParams
  const view = typeof link === 'string' ? await readConfirmation(link) : undefined
  if (!view) notFound()
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
