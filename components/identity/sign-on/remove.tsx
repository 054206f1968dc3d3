'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { visible } from '#components/ui/visible.ts'
import { removeIdentityProvider, removeSignOnDomain } from '#lib/identity/client.ts'
import type { Domain, Provider } from '#lib/identity/single-sign-on/contract.ts'

type Ends = { onRemoved: (said: string) => void; onClose: () => void }

/** Asks whether a provider is to go, and says what goes with it. */
export function RemoveProvider({ provider, onRemoved, onClose }: Ends & { provider: Provider }) {
  const name = visible(provider.name)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => removeIdentityProvider({ params: { provider_id: provider.id }, body: {} }),
    onSuccess: () => onRemoved(`Removed: ${name}`),
  })
  return (
    <Confirm
      title={`Remove ${name}?`}
      button="Remove the provider"
      pending={isPending}
      refused={error ? <NotDone title="Not removed" error={error} /> : null}
      onGo={() => mutate()}
      onClose={onClose}
    >
      Nobody signs in by it any more, and whoever did is signed out at once. Its domains go, too. Members
      stay.
    </Confirm>
  )
}

/** Asks whether a domain is to go. */
export function RemoveDomain({ domain: { domain }, onRemoved, onClose }: Ends & { domain: Domain }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => removeSignOnDomain({ params: { domain }, body: {} }),
    onSuccess: () => onRemoved(`Removed: ${domain}`),
  })
  return (
    <Confirm
      title={`Remove ${domain}?`}
      button="Remove the domain"
      pending={isPending}
      refused={error ? <NotDone title="Not removed" error={error} /> : null}
      onGo={() => mutate()}
      onClose={onClose}
    >
      Its people sign in by single sign-on no more. Whoever is signed in stays so. Another record is needed to
      prove it again.
    </Confirm>
  )
}
