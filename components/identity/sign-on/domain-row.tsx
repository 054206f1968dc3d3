'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Day } from '#components/platform/values/day.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Copied } from '#components/ui/copied.tsx'
import { checkSignOnDomain } from '#lib/identity/client.ts'
import type { Domain } from '#lib/identity/single-sign-on/contract.ts'

/** A mail domain: whether it is proven, and else the record that proves it. `provider` is named where there are several. */
export function DomainRow({
  domain: { domain, state, provenBy, provenTime, record },
  provider,
  onProven,
  onRemove,
}: {
  domain: Domain
  provider: string | undefined
  onProven: () => void
  onRemove: () => void
}) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => checkSignOnDomain({ params: { domain }, body: {} }),
    onSuccess: onProven,
  })
  const isProven = state === 'proven'
  return (
    <li className="border-t border-line px-5 py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2.5">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-[550] wrap-anywhere">
            {domain}
            <Badge tone={isProven ? 'ok' : 'warn'}>{isProven ? 'Proven' : 'Waiting'}</Badge>
          </h3>
          <p className="text-sm wrap-anywhere text-ink-3">
            {provenTime === undefined ? (
              'It counts once this record is in its DNS.'
            ) : (
              <>
                {provenBy === 'dns' ? 'Proven by DNS on ' : 'Confirmed by the operator on '}
                <Day at={provenTime} />
              </>
            )}
            {provider === undefined ? null : ` Leads to ${provider}.`}
          </p>
        </div>
        <div className="flex gap-2">
          {isProven ? null : (
            <Button pending={isPending} onClick={() => mutate()} aria-label={`Check now: ${domain}`}>
              Check now
            </Button>
          )}
          <Button look="quiet" onClick={onRemove} aria-label={`Remove ${domain}`}>
            Remove
          </Button>
        </div>
      </div>
      {isProven ? null : (
        <div className="mt-3 grid gap-3">
          <Copied label="Name of the TXT record" text={record.name} what="name" />
          <Copied label="Text" text={record.text} what="text" />
          {error ? (
            <div className="min-w-0 wrap-anywhere">
              <NotDone title="Not proven yet" error={error} />
            </div>
          ) : null}
        </div>
      )}
    </li>
  )
}
