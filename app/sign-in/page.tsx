import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { currentCaller } from '#app/(console)/caller.ts'
import { SignInForm } from '#components/access/sign-in-form.tsx'
import { Brand } from '#components/frame/brand.tsx'
import { Card } from '#components/ui/card.tsx'
import { localPath } from '#lib/access/rules.ts'

export const metadata: Metadata = { title: 'Sign in' }

export default async function Page({
  searchParams,
}: {
  searchParams: Promise<{ from?: string | string[] }>
}) {
  if (await currentCaller()) {
    const { from } = await searchParams
    redirect(localPath(typeof from === 'string' ? from : '/'))
  }
  return (
    <main className="grid min-h-dvh grid-cols-1 place-items-center p-6">
      <Card className="w-full max-w-95 p-7">
        <Brand />
        <h1 className="mt-4 text-title">Sign in</h1>
        <SignInForm />
      </Card>
    </main>
  )
}
