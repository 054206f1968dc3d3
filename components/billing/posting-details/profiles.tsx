'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { DescriptionItem } from '#components/ui/description-item.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { listBillingProfiles, setProfilePosting } from '#lib/billing/client.ts'
import type { BillingProfile } from '#lib/billing/posting-details/contract.ts'
import { EditDetails } from './edit-details.tsx'

const NOTE =
  'Invoices that arrive from now on carry these where their issuer sends none. Existing invoices don’t change.'

/** Billing profiles with the posting details of their next invoices, editable for members who may set them. */
export function Profiles({ maySet }: { maySet: boolean }) {
  const [open, setOpen] = useState<BillingProfile>()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: listBillingProfiles.key({}),
    queryFn: ({ signal }) => listBillingProfiles({}, signal),
  })
  const save = async (id: string, body: Record<string, string | null>) => {
    await setProfilePosting({ params: { billing_profile_id: id }, body })
    await client.invalidateQueries({ queryKey: ['listBillingProfiles'] })
  }
  return (
    <>
      {error ? <RefreshFailed label="billing profiles" error={error} onRetry={refetch} /> : null}
      <ul className="grid gap-4">
        {data?.billingProfiles.map((profile) => (
          <li key={profile.id}>
            <Card className="overflow-hidden">
              <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 max-md:px-3.5">
                <h2 className="min-w-0 font-[650] wrap-anywhere">
                  {escapeInvisible(profile.name)}
                  <span className="block text-xs font-normal text-ink-3">{escapeInvisible(profile.id)}</span>
                </h2>
                {maySet ? (
                  <Button onClick={() => setOpen(profile)}>
                    Edit<span className="sr-only"> {escapeInvisible(profile.name)}</span>
                  </Button>
                ) : null}
              </div>
              <dl className="-ml-px grid md:grid-cols-3">
                <DescriptionItem label="Purchase order">{orDash(profile.purchaseOrder)}</DescriptionItem>
                <DescriptionItem label="Buyer reference">{orDash(profile.buyerReference)}</DescriptionItem>
                <DescriptionItem label="Cost center">{orDash(profile.costCenter)}</DescriptionItem>
              </dl>
            </Card>
          </li>
        ))}
      </ul>
      {open ? (
        <EditDetails
          title={`Accounting details of ${escapeInvisible(open.name)}`}
          note={NOTE}
          fields={fieldsOf(open)}
          save={(change) => save(open.id, change)}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </>
  )
}

function fieldsOf({ purchaseOrder, buyerReference, costCenter }: BillingProfile) {
  const description = 'Routing reference, such as a department or Leitweg-ID'
  return [
    { name: 'purchaseOrder', label: 'Purchase order', value: purchaseOrder },
    { name: 'buyerReference', label: 'Buyer reference', hint: description, value: buyerReference },
    { name: 'costCenter', label: 'Cost center', value: costCenter },
  ]
}

function orDash(value: string | undefined) {
  return value === undefined ? <span className="font-normal text-ink-3">None</span> : escapeInvisible(value)
}
