import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { currentCaller } from '#app/(console)/caller.ts'
import { SignInForm } from '#components/access/sign-in-form.tsx'
import { Brand } from '#components/frame/brand.tsx'
import { Card } from '#components/ui/card.tsx'

export const metadata: Metadata = { title: 'Sign in' }

export default async function Page({
  searchParams,
}: {
  searchParams: Promise<{ from?: string | string[] }>
}) {
  const next = localPath((await searchParams).from)
  if (await currentCaller()) redirect(next)
  return (
    <main className="grid min-h-dvh grid-cols-1 place-items-center p-6">
      <Card className="w-full max-w-95 p-7">
        <Brand />
        <h1 className="mt-4 text-title">Sign in</h1>
        <SignInForm next={next} />
      </Card>
    </main>
  )
}

/** Where to go on to: a path of this console, else its start. An address elsewhere is never followed. */
function localPath(from: string | string[] | undefined): string {
  if (typeof from !== 'string' || !from.startsWith('/')) return '/'
  const here = 'http://here.invalid'
  const url = URL.canParse(from, here) ? new URL(from, here) : undefined
  const isLocal = url?.origin === here && !url.pathname.startsWith('/sign-in')
  return isLocal ? url.pathname + url.search : '/'
}
