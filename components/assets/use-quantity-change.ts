'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useToast } from '#components/ui/toast.tsx'
import { Problem } from '#lib/api/problem.ts'
import type { AssetListItem } from '#lib/assets/contract.ts'
import { setQuantity } from '#lib/assets/queries.ts'
import { type List, seatsOf, withAsset } from './one-asset.ts'
import { licensesText } from './plan.ts'

/** One click on the button. Asked again with the same key, it has one effect. */
export type Attempt = {
  quantity: number
  /** The total that was on screen. */
  from: number
  key: string
  /** The version that the total was chosen for: if somebody changed it since, nothing happens. */
  etag: string | undefined
}

/** A key for one attempt. Browsers offer crypto.randomUUID on https and localhost only. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/**
 * Asks for a new total of one asset. Nothing is shown as done before the answer is there; then every
 * cached list gets the answer's seats, and is read again.
 */
export function useQuantityChange(item: AssetListItem) {
  const client = useQueryClient()
  const say = useToast()
  return useMutation({
    mutationFn: ({ quantity, key, etag }: Attempt) => {
      const headers = { 'idempotency-key': key, ...(etag === undefined ? {} : { 'if-match': etag }) }
      return setQuantity({ params: { asset_id: item.id }, body: { quantity }, headers })
    },
    onSuccess: (asset) => {
      client.setQueriesData<List>({ queryKey: ['listAssets'] }, (list) => list && withAsset(list, asset))
      const before = item.quantity?.toLocaleString('en')
      say(`${item.assetName}: ${before} → ${licensesText(seatsOf(asset) ?? 0)}`)
    },
    // Also after a refusal: what it was decided by may not be what the screen shows. Not for who is signed
    // out: the way to sign in stands in the row, and the list would lead there before it can be read.
    onSettled: (_asset, error) => {
      if (error instanceof Problem && error.code === 'unauthenticated') return
      client.invalidateQueries({ queryKey: ['listAssets'] })
    },
  })
}
