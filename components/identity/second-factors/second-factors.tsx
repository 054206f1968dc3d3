'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { listFactors } from '#lib/identity/client.ts'
import type { SecondFactor } from '#lib/identity/second-factors/contract.ts'
import { AddApp } from './add-app.tsx'
import { AddPasskey } from './add-passkey.tsx'
import { FactorRow, RemoveFactor } from './factor-row.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

const NO_PASSKEYS = {
  address:
    'Passkeys aren’t available here: they need a domain name, and you opened this console by its IP address.',
  'not-safe': 'Passkeys aren’t available here: they need https.',
}

/** Second factors of a member, with add and remove. */
export function SecondFactors() {
  const [open, setOpen] = useState<'app' | 'passkey' | SecondFactor>()
  const toast = useToast()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: listFactors.key({}),
    queryFn: ({ signal }) => listFactors({}, signal),
  })
  const close = () => setOpen(undefined)
  const done = (message: string) => {
    close()
    toast(message)
    client.invalidateQueries({ queryKey: ['listFactors'] })
  }
  if (!data)
    return error ? (
      <RefreshFailed label="factors" error={error} onRetry={refetch} />
    ) : (
      <SkeletonRows count={4} />
    )
  const { factors, isDemanded, codesLeft, passkeys } = data
  return (
    <div className="grid max-w-170 gap-5">
      {isDemanded ? <p className="text-sm text-ink-2">Your company requires two-step verification.</p> : null}
      <Card className="p-5">
        <h2 className="text-lg font-semibold">Apps and passkeys</h2>
        {factors.length === 0 ? (
          <p className="mt-1 text-ink-3">Not set up. Your account is protected by your password only.</p>
        ) : (
          <ul className="mt-2 divide-y divide-line">
            {factors.map((factor) => (
              <FactorRow
                key={factor.id}
                factor={factor}
                hasSharedFactors={factors.some(({ isEverywhere }) => isEverywhere)}
                onRemove={() => setOpen(factor)}
              />
            ))}
          </ul>
        )}
        <div className="mt-4 flex flex-wrap gap-2 empty:hidden">
          {factors.some(({ kind }) => kind === 'totp') ? null : (
            <Button variant={factors.length === 0 ? 'primary' : 'plain'} onClick={() => setOpen('app')}>
              Set up an app
            </Button>
          )}
          {passkeys === 'possible' ? <Button onClick={() => setOpen('passkey')}>Add a passkey</Button> : null}
        </div>
        {passkeys === 'possible' ? null : <p className="mt-3 text-sm text-ink-3">{NO_PASSKEYS[passkeys]}</p>}
      </Card>
      {factors.length > 0 ? <RecoveryCodes codesLeft={codesLeft} /> : null}
      {open === 'app' ? <AddApp onAdded={() => done('App set up')} onClose={close} /> : null}
      {open === 'passkey' ? (
        <AddPasskey onAdded={(name) => done(`Passkey added: ${name}`)} onClose={close} />
      ) : null}
      {typeof open === 'object' ? (
        <RemoveFactor factor={open} isLast={factors.length === 1} onRemoved={done} onClose={close} />
      ) : null}
    </div>
  )
}
