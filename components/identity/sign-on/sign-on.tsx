'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Giving } from '#components/identity/members/words.ts'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { readSignOn } from '#lib/identity/client.ts'
import type { Domain, Provider } from '#lib/identity/single-sign-on/contract.ts'
import { AddDomain } from './add-domain.tsx'
import { DomainRow } from './domain-row.tsx'
import { Passwords } from './passwords.tsx'
import { ProviderForm } from './provider-form.tsx'
import { ProviderRow } from './provider-row.tsx'
import { RemoveDomain, RemoveProvider } from './remove.tsx'
import { Nothing, Section } from './section.tsx'

type Open =
  | { is: 'provider'; provider?: Provider }
  | { is: 'domain' }
  | { is: 'remove-provider'; provider: Provider }
  | { is: 'remove-domain'; domain: Domain }

/** How members sign in at their own company, and what can be changed of it. */
export function SignOn({ giving }: { giving: Giving }) {
  const [open, setOpen] = useState<Open>()
  const say = useToast()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: readSignOn.key({}),
    queryFn: ({ signal }) => readSignOn({}, signal),
  })
  const close = () => setOpen(undefined)
  const refresh = (said: string) => {
    say(said)
    client.invalidateQueries({ queryKey: ['readSignOn'] })
  }
  const done = (said: string) => {
    close()
    refresh(said)
  }
  if (!data)
    return error ? (
      <RefreshFailed what="settings" error={error} onRetry={refetch} />
    ) : (
      <SkeletonRows count={6} />
    )
  const { providers, domains, passwords } = data
  return (
    <div className="grid max-w-220 gap-5">
      {error ? <RefreshFailed what="settings" error={error} onRetry={refetch} /> : null}
      <Section
        title="Identity providers"
        about="Where members sign in: any issuer of OpenID Connect."
        action={
          <Button
            look={providers.length === 0 ? 'primary' : 'plain'}
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
          title="Mail domains"
          about="Whoever signs in with an address of a proven domain is led to its provider."
          action={<Button onClick={() => setOpen({ is: 'domain' })}>Add a domain</Button>}
        >
          {domains.length === 0 ? <Nothing>None yet: nobody is led to a provider.</Nothing> : null}
          <ul>
            {domains.map((domain) => (
              <DomainRow
                key={domain.domain}
                domain={domain}
                provider={providers.length > 1 ? nameIn(providers, domain) : undefined}
                onProven={() => refresh(`Proven: ${domain.domain}`)}
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
