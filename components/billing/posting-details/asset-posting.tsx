'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { readAssetPosting, setAssetPosting } from '#lib/billing/client.ts'
import { EditDetails } from './edit-details.tsx'

const NOTE =
  'Lines of invoices that arrive from now on carry these where they bill this asset and their issuer sends none.'

/**
 * Accounting details of the lines that bill an asset, among the asset's details, with an edit button for members who may
 * set them.
 */
export function AssetPosting({
  id,
  vendorPurchaseOrder,
  maySet,
}: {
  id: string
  /** Purchase order of the asset at its vendor, shown if it differs from the customer's. */
  vendorPurchaseOrder: string | undefined
  maySet: boolean
}) {
  const [isOpen, setOpen] = useState(false)
  const client = useQueryClient()
  const params = { asset_id: id }
  const { data } = useQuery({
    queryKey: readAssetPosting.key({ params }),
    queryFn: ({ signal }) => readAssetPosting({ params }, signal),
  })
  if (!data) return null
  const { purchaseOrder, costCenter } = data
  const differing = vendorPurchaseOrder === purchaseOrder ? undefined : vendorPurchaseOrder
  if (!maySet && !purchaseOrder && !costCenter && !differing) return null
  return (
    <Card className="mt-4">
      <div className="px-4 py-3.5">
        <h2 className="mb-2 font-[650]">Accounting details</h2>
        <dl className="grid gap-y-2 text-sm">
          <PostingItem label="Purchase order" value={purchaseOrder} />
          <PostingItem label="Cost center" value={costCenter} />
          {differing ? <PostingItem label="Vendor’s purchase order" value={differing} /> : null}
        </dl>
        <p className="mt-2 text-xs text-ink-3">
          {differing ? 'Purchase order and cost center are added' : 'Added'} to this asset’s invoice lines.
        </p>
      </div>
      {maySet ? (
        <div className="border-t border-line px-4 py-2.5">
          <Button onClick={() => setOpen(true)}>
            Edit<span className="sr-only"> accounting details</span>
          </Button>
        </div>
      ) : null}
      {isOpen ? (
        <EditDetails
          title="Accounting details"
          note={NOTE}
          fields={[
            { name: 'purchaseOrder', label: 'Purchase order', value: purchaseOrder },
            { name: 'costCenter', label: 'Cost center', value: costCenter },
          ]}
          save={async (body) => {
            await setAssetPosting({ params, body })
            await client.invalidateQueries({ queryKey: ['readAssetPosting'] })
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Card>
  )
}

function PostingItem({ label, value }: { label: string; value: string | undefined }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="shrink-0 text-ink-3">{label}</dt>
      <dd className="min-w-0 text-right wrap-anywhere">{value ? escapeInvisible(value) : '–'}</dd>
    </div>
  )
}
