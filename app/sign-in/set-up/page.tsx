import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { RequiredFactor } from '#components/identity/second-factors/required-factor.tsx'
import { Entry } from '#components/shell/frame/entry.tsx'
import { makingOptions } from '#lib/identity/access/factors/passkeys.ts'
import { makingBy } from '#lib/identity/access/factors/set-up.ts'
import { newSecret } from '#lib/identity/access/factors/totp.ts'
import { stepAt } from '#lib/identity/access/sign-ins/steps.ts'

export const metadata: Metadata = { title: 'Set up two-step verification' }

/** Step between a password and a session for members without a second factor whose customer requires one. */
export default async function Page() {
  const at = await stepAt((await headers()).get('cookie') ?? '')
  if (at?.step.kind !== 'set-up') redirect(at ? '/sign-in/customer' : '/sign-in')
  const { digest, personId } = at.pending
  const { membership } = at.step
  const whose = `${personId} ${membership.customerId}`
  const options = await makingOptions(makingBy(digest), { email: membership.email, whose, present: [] })
  return (
    <Entry title="Set up two-step verification">
      <p className="mt-1 text-sm text-ink-3">
        {membership.customerName} requires it in addition to{' '}
        {at.pending.proven.includes('issuer') ? 'single sign-on' : 'your password'}.
      </p>
      <RequiredFactor app={newSecret(digest, membership)} options={options && { ...options }} />
    </Entry>
  )
}
