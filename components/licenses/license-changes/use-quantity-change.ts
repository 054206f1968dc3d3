'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  type List,
  type OpenChange,
  seatsOf,
  withAsset,
  withOpenChange,
} from '#components/licenses/assets/one-asset.ts'
import { useToast } from '#components/ui/toast.tsx'
import type { Asset, AssetListItem } from '#lib/licenses/assets/contract.ts'
import { decideQuantity } from '#lib/licenses/assets/quantity-rule.ts'
import { setQuantity } from '#lib/licenses/client.ts'
import { tagOf } from '#lib/platform/api/client.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { licensesText, toQuantityState } from '../assets/labels.ts'

/** One click on the button. A retry with the same idempotency key has one effect. */
export type Attempt = {
  quantity: number
  /** Total that was on screen. */
  from: number
  key: string
  /**
   * Version that the total was chosen for: if another caller has changed the asset since, the service refuses the
   * change.
   */
  etag: string | undefined
  /** The attempt undoes a change: its refusal is shown as a toast, whichever screen is open by then. */
  undoes?: boolean
}

const UNDO_BLOCKED = 'Not undone: another change of it is under way.'
const UNHEARD = 'the service did not answer. Try again.'

/** Returns a new idempotency key. Browsers have crypto.randomUUID only on https and localhost. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/**
 * Mutation that sets the total of one asset. Not optimistic: after the answer every cached list gets the answer's
 * seats, and is read again.
 */
export function useQuantityChange(item: AssetListItem) {
  const client = useQueryClient()
  const toast = useToast()
  const update = (change: (list: List) => List) =>
    client.setQueriesData<List>({ queryKey: ['listAssets'] }, (list) => list && change(list))
  const mutation = useMutation({
    mutationKey: ['setQuantity', item.id],
    mutationFn: ({ quantity, key, etag }: Attempt) => {
      const headers = { 'idempotency-key': key, ...(etag === undefined ? {} : { 'if-match': etag }) }
      return setQuantity({ params: { asset_id: item.id }, body: { quantity }, headers })
    },
    onSuccess: (asset, { from, undoes }) => {
      update((list) => withOpenChange(withAsset(list, asset), item.id, undefined))
      const before = item.quantity?.toLocaleString('en')
      const former = undoes ? undefined : undoOf(item, asset, tagOf(asset), from)
      toast(
        `${item.assetName}: ${before} → ${licensesText(seatsOf(asset) ?? 0)}`,
        former && {
          name: 'Undo',
          act: () => {
            // Another change is under way, so the version is outdated.
            if (client.isMutating({ mutationKey: ['setQuantity', item.id] })) return toast(UNDO_BLOCKED)
            mutation.mutate({ ...former, key: newKey(), undoes: true })
          },
        },
      )
    },
    // The outcome is still unknown: the row shows an open change until a read has the result.
    onError: (error, { quantity, undoes }) => {
      if (undoes && !isUnknown(error))
        toast(`Not undone: ${error instanceof ProblemError ? error.message : UNHEARD}`)
      const openChange = openChangeOf(error, quantity, item.openChange)
      if (openChange) update((list) => withOpenChange(list, item.id, openChange))
    },
    // Also after a refusal: the service may have decided by newer data than the screen shows. Not after a sign-out: the
    // row links to the sign-in page, and a failed refetch of the list would redirect there before the user can read it.
    onSettled: (_asset, error) => {
      if (error instanceof ProblemError && error.code === 'unauthenticated') return
      client.invalidateQueries({ queryKey: ['listAssets'] })
    },
  })
  return mutation
}

/** Returns the open change of a 504. An unknown actor is filled in by the next read. */
function openChangeOf(error: Error, to: number, existing: OpenChange | undefined): OpenChange | undefined {
  if (!isUnknown(error)) return undefined
  const id = String(error.more.members?.changeId)
  if (existing?.id === id) return existing
  return { id, to, state: 'UNKNOWN', actor: { kind: 'member', id: '', name: '' }, createTime: Date.now() }
}

/** Returns whether the change was sent to the vendor without a confirmation yet (`outcome_unknown`). */
export function isUnknown(error: Error | null): error is ProblemError {
  return error instanceof ProblemError && error.code === 'outcome_unknown'
}

/**
 * Returns the attempt that undoes a change, as far as this screen can tell: the former total, for the exact version
 * that the change made. Undefined for commitment plans and for vendors that lock increases: a toast's button must not
 * buy for a term, or give seats back.
 * @param asset from the change's answer, with its version in `etag`
 * @param former total before the change
 */
export function undoOf(
  { vendor }: Pick<AssetListItem, 'vendor'>,
  asset: Asset,
  etag: string | undefined,
  former: number,
): { quantity: number; from: number; etag: string } | undefined {
  const { subscription } = asset.properties
  const from = seatsOf(asset)
  if (!subscription || from === undefined || etag === undefined) return undefined
  const quantityState = toQuantityState(subscription)
  if (quantityState.isCommitmentPlan || !decideQuantity(quantityState, former).allowed) return undefined
  // An increase can't be taken back later, and a decrease may not be possible.
  if (vendor?.locksIncreases) return undefined
  return { quantity: former, from, etag }
}
