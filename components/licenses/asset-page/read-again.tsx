'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { readFromVendor } from '#lib/licenses/client.ts'
import { oneAsset } from '../assets/one-asset.ts'

/** Reads an asset from its vendor immediately, and shows the result. `label` is the vendor's display name. */
export function ReadAgain({ id, label }: { id: string; label: string }) {
  const client = useQueryClient()
  const router = useRouter()
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => readFromVendor({ params: { asset_id: id } }),
    onSuccess: (item) => {
      client.setQueryData(oneAsset.key(id), oneAsset.list(item))
      // Details, plot and history are rendered by the page.
      router.refresh()
    },
  })
  return (
    <div className="mt-2 grid justify-items-start gap-2">
      <Button pending={isPending} onClick={() => mutate()}>
        Read again now
      </Button>
      <p role="status" className="text-ink-2">
        {data && !isPending ? readText(data, label) : ''}
      </p>
      {error ? <NotDone title="Not read" error={error} /> : null}
    </div>
  )
}

/**
 * Returns a sentence on the vendor's reading and its time: another member may have triggered the reading some seconds
 * ago.
 */
function readText({ openChange, observedTime, properties }: AssetListItem, label: string): string {
  if (openChange) {
    return `${label} has not confirmed the change to ${openChange.to.toLocaleString('en')} yet.`
  }
  const { NumberOfSeats: purchased = 0, LicensedNumberOfSeats: assigned = 0 } =
    properties?.subscription?.Seats ?? {}
  const at = new Date(observedTime ?? Date.now()).toISOString().slice(11, 19)
  return `At ${at} UTC it showed ${purchased.toLocaleString('en')} purchased, ${assigned.toLocaleString('en')} assigned.`
}
