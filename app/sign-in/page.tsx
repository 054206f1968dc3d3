import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { currentCaller } from '#app/(console)/caller.ts'
import { SignInForm } from '#components/identity/access/sign-in-form.tsx'
import { Entry } from '#components/shell/frame/entry.tsx'
import { relyingParty } from '#lib/identity/access/factors/passkeys.ts'
import { localPath } from '#lib/platform/caller/rules.ts'

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
    <Entry title="Sign in">
      <SignInForm hasPasskeys={typeof relyingParty() !== 'string'} />
    </Entry>
  )
}
