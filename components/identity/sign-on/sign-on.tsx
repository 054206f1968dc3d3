'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Giving } from '#components/identity/members/labels.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Nothing, Section } from '#components/ui/section.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { readSignOn, removeIdentityProvider, removeSignOnDomain } from '#lib/identity/client.ts'
import type { Domain, Provider } from '#lib/identity/single-sign-on/contract.ts'
import { AddDomain, DomainRow } from './domains.tsx'
import { Passwords } from './passwords.tsx'
import { ProviderForm } from './provider-form.tsx'
import { ProviderRow } from './provider-row.tsx'

type Open =
  | { is: 'provider'; provider?: Provider }
  | { is: 'domain' }
  | { is: 'remove-provider'; provider: Provider }
  | { is: 'remove-domain'; domain: Domain }

/** Settings for single sign-on at the customer's own issuer. */
export function SignOn({ giving }: { giving: Giving }) {
  const [open, setOpen] = useState<Open>()
  const toast = useToast()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: readSignOn.key({}),
    queryFn: ({ signal }) => readSignOn({}, signal),
  })
  const close = () => setOpen(undefined)
  const refresh = (message: string) => {
    toast(message)
    client.invalidateQueries({ queryKey: ['readSignOn'] })
  }
  const done = (message: string) => {
    close()
    refresh(message)
  }
  if (!data)
    return error ? (
      <RefreshFailed label="settings" error={error} onRetry={refetch} />
    ) : (
      <SkeletonRows count={6} />
    )
  const { providers, domains, passwords } = data
  return (
    <div className="grid max-w-220 gap-5">
      {error ? <RefreshFailed label="settings" error={error} onRetry={refetch} /> : null}
      <Section
        title="Identity providers"
        about="Any OpenID Connect provider"
        action={
          <Button
            variant={providers.length === 0 ? 'primary' : 'plain'}
            onClick={() => setOpen({ is: 'provider' })}
          >
            Add a provider
          </Button>
        }
      >
        {providers.length === 0 ? <Nothing>None yet: members sign in with a password.</Nothing> : null}
        <ul>
          {providers.map((provider) => (
            <ProviderRow
              key={provider.id}
              provider={provider}
              giving={giving}
              onChange={() => setOpen({ is: 'provider', provider })}
              onRemove={() => setOpen({ is: 'remove-provider', provider })}
            />
          ))}
        </ul>
      </Section>
      {providers.length > 0 ? (
        <Section
          title="Email domains"
          about="Members with an address in a verified domain sign in with its provider."
          action={<Button onClick={() => setOpen({ is: 'domain' })}>Add a domain</Button>}
        >
          {domains.length === 0 ? <Nothing>No domains yet</Nothing> : null}
          <ul>
            {domains.map((domain) => (
              <DomainRow
                key={domain.domain}
                domain={domain}
                provider={providers.length > 1 ? nameIn(providers, domain) : undefined}
                onVerified={() => refresh(`Verified: ${domain.domain}`)}
                onRemove={() => setOpen({ is: 'remove-domain', domain })}
              />
            ))}
          </ul>
        </Section>
      ) : null}
      {providers.length > 0 || passwords === 'refused' ? (
        <Passwords isAllowed={passwords === 'allowed'} onChanged={refresh} />
      ) : null}
      {open?.is === 'provider' ? (
        <ProviderForm provider={open.provider} giving={giving} onSaved={done} onClose={close} />
      ) : null}
      {open?.is === 'domain' ? <AddDomain providers={providers} onAdded={done} onClose={close} /> : null}
      {open?.is === 'remove-provider' ? (
        <RemoveProvider provider={open.provider} onRemoved={done} onClose={close} />
      ) : null}
      {open?.is === 'remove-domain' ? (
        <RemoveDomain domain={open.domain} onRemoved={done} onClose={close} />
      ) : null}
    </div>
  )
}

function nameIn(providers: readonly Provider[], { providerId }: Domain): string {
  return providers.find(({ id }) => id === providerId)?.name ?? ''
}

type RemoveDialogProps = { onRemoved: (message: string) => void; onClose: () => void }

/** Asks for confirmation before removing a provider, with the consequences. */
function RemoveProvider({ provider, onRemoved, onClose }: RemoveDialogProps & { provider: Provider }) {
  const name = escapeInvisible(provider.name)
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
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      Members can no longer sign in with it, and those who did are signed out immediately. Its domains are
      removed. Members stay.
    </Confirm>
  )
}

/** Asks for confirmation before removing a domain. */
function RemoveDomain({ domain: { domain }, onRemoved, onClose }: RemoveDialogProps & { domain: Domain }) {
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
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      Its members can no longer use single sign-on. Current sessions continue. To verify the domain again,
      you’ll need a new DNS record.
    </Confirm>
  )
}
