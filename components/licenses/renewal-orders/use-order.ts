'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useToast } from '#components/ui/toast.tsx'
import { orderRenewal, readRenewal, withdrawRenewal } from '#lib/licenses/client.ts'
import { datedOrderText } from './labels.ts'

export type OrderBody =
  | { quantity: number }
  | { renewalType: string }
  | { action: 'cancel'; confirm: string }
  | { action: 'extended-term' }

/**
 * Orders a quantity or renewal for the next term of an asset, or withdraws the order (`undefined`), and shows the
 * result.
 */
export function useOrder(
  id: string,
  { etag, onDone }: { etag?: string | undefined; onDone?: () => void } = {},
) {
  const toast = useToast()
  const client = useQueryClient()
  const router = useRouter()
  const params = { asset_id: id }
  const headers = etag === undefined ? {} : { 'if-match': etag }
  return useMutation({
    mutationFn: (wanted: OrderBody | undefined) =>
      wanted
        ? orderRenewal({ params, headers, body: wanted })
        : withdrawRenewal({ params, headers, body: {} }),
    onSuccess: async ({ order }, terms) => {
      if (!terms)
        toast(
          order ? 'The vendor gets it as soon as it responds.' : 'The order for the next term is withdrawn.',
        )
      else if (order?.isPlaced) toast(`Ordered: ${datedOrderText(order)}.`)
      else toast('Order saved. The vendor gets it as soon as it responds.')
      onDone?.()
    },
    onSettled: () => {
      // Shows the result in the asset's row and on its page.
      void client.invalidateQueries({ queryKey: readRenewal.key({ params }) })
      void client.invalidateQueries({ queryKey: ['listAssets'] })
      router.refresh()
    },
  })
}
