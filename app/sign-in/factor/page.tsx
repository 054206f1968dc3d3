import type { Metadata } from 'next'
import { headers } from 'next/headers'
import Link from 'next/link'
import { redirect } from 'next/navigation'
import { FactorForm } from '#components/identity/access/factor-form.tsx'
import { Entry } from '#components/shell/frame/entry.tsx'
import { requestOptions, SIGN_IN } from '#lib/identity/access/factors/passkeys.ts'
import { stepAt } from '#lib/identity/access/sign-ins/steps.ts'

export const metadata: Metadata = { title: 'Two-step verification' }

/** Step between a password and a session for members with a second factor. */
export default async function Page() {
  const at = await stepAt((await headers()).get('cookie') ?? '')
  if (at?.step.kind !== 'factor') redirect(at ? '/sign-in/customer' : '/sign-in')
  const { membership, mayGoWithout } = at.step
  const factors = [...new Set((membership ? [membership] : at.memberships).flatMap((one) => one.factors))]
  const passkeys = factors.filter(({ kind }) => kind === 'passkey')
  const options = passkeys.length > 0 ? await requestOptions(SIGN_IN, passkeys) : undefined
  const app = factors.some(({ kind }) => kind === 'totp')
  return (
    <Entry title="Two-step verification">
      <p className="mt-1 text-sm text-ink-3">
        {at.pending.proven.includes('issuer') ? 'Single sign-on accepted.' : 'Password accepted.'} Now verify
        that it’s you.
      </p>
      <FactorForm methods={{ app, passkey: options && { ...options }, mayGoWithout }} />
      <p className="mt-4 text-center text-sm">
        <Link href="/sign-in" prefetch={false} className="text-accent underline">
          Back to sign-in
        </Link>
      </p>
      <p className="mt-3 text-xs text-ink-3">
        Lost your device and recovery codes? Ask an Admin of your company, or your reseller.
      </p>
    </Entry>
  )
}
