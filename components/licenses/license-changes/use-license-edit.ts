'use client'

import { useEffect, useRef, useState } from 'react'
import { type OpenChange, readChange } from '#components/licenses/assets/one-asset.ts'
import { useWaiting } from '#components/platform/waits/use-waiting.ts'
import { useToast } from '#components/ui/toast.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { QuantityState } from '#lib/licenses/assets/rules.ts'
import { isOpen } from '#lib/licenses/license-changes/rules.ts'
import { changeOutcomeText } from '../assets/labels.ts'
import { draftOf, saveDraft } from './drafts.ts'
import { isUnknown, newKey, useQuantityChange } from './use-quantity-change.ts'

/** Shortest time in milliseconds to read a late review: an earlier press is ignored. */
const MIN_READING_MS = 700

type Draft = {
  /** Undefined: no input. Null: input that is not a whole number. */
  typed: number | null | undefined
  /**
   * Purchased total that a draft from before a navigation was typed for: the one on screen may be older than the
   * service's.
   */
  over?: number
}

/**
 * Manages the typed total of one row's control and its request. A typed total, and a refused one, stay until they are
 * discarded or changed, also while another row is edited: if this row's review closed then, that row would move up, and
 * the next click on its + would hit the button that buys. A typed total survives a navigation as long as the purchased
 * total is unchanged.
 * @param proposed unconfirmed total to begin with
 */
export function useLicenseEdit(item: AssetListItem, quantityState: QuantityState, proposed?: number) {
  const input = useRef<HTMLInputElement>(null)
  /** First control of the review: Enter in the quantity moves the focus here. */
  const first = useRef<HTMLElement>(null)
  /** Status that replaces the review while a change is open. */
  const statusNote = useRef<HTMLParagraphElement>(null)
  const returns = useRef(false)
  /** Whether Enter in the quantity came before the review; and when the review then took the focus. */
  const entered = useRef(false)
  const arrivedAt = useRef(Number.NEGATIVE_INFINITY)
  const [{ typed, over }, setDraft] = useState<Draft>(() => {
    const storedQuantity = draftOf(item.id, quantityState.purchased)
    return proposed === undefined && storedQuantity !== undefined
      ? { typed: storedQuantity, over: quantityState.purchased }
      : { typed: proposed }
  })
  const draft = over === undefined || over === quantityState.purchased ? typed : undefined
  const active = draft !== undefined && draft !== quantityState.purchased
  const { mutate, reset, isPending, error, variables: sent } = useQuantityChange(item)
  const failedChange =
    !active && error && !isUnknown(error) && sent !== undefined
      ? { error, quantity: sent.quantity, from: sent.from }
      : undefined

  const openChange = isPending ? undefined : item.openChange
  const isWaiting = useWaiting(item.waitUntil)
  const waitUntil = isWaiting && !isPending && !openChange ? item.waitUntil : undefined
  useOutcome(item, isPending)

  // Once the outcome is known, the focus returns to the control, unless the user has moved it in the meantime.
  const isLocked = openChange !== undefined || waitUntil !== undefined
  useEffect(() => {
    if (isPending) returns.current = true
    else if (returns.current) {
      returns.current = isLocked
      const to = isLocked ? statusNote.current : input.current
      if (!document.activeElement?.matches('a, button, input, dialog')) to?.focus({ preventScroll: true })
    }
  }, [isPending, isLocked])

  const change = (next: number | null | undefined) => {
    saveDraft(item.id, next, quantityState.purchased)
    setDraft({ typed: next })
  }

  return {
    input,
    first,
    statusNote,
    isPending,
    /** Open change of the asset: until its outcome is known, no other change can be made. */
    openChange,
    /** Until when the vendor accepts no other change, in epoch milliseconds. */
    waitUntil,
    failedChange,
    draft: active ? draft : quantityState.purchased,
    value: active ? draft : (failedChange?.quantity ?? quantityState.purchased),
    open: active || failedChange !== undefined,
    /** Moves the focus into the review: immediately, or once it is rendered. */
    enter() {
      if (first.current) first.current.focus()
      else entered.current = active
    },
    /** Called when the review is rendered. */
    arrive() {
      // Don't take back the focus of a user who has moved on: the next Enter in the review would buy.
      if (entered.current && document.activeElement === input.current) {
        first.current?.focus()
        arrivedAt.current = performance.now()
      }
      entered.current = false
    },
    edit(next: number | null) {
      entered.current = false
      reset()
      change(next)
    },
    discard() {
      reset()
      change(undefined)
      input.current?.focus()
    },
    /** Requests the total; `etag` is the version to change, by default the one on screen. */
    submit(quantity: number, etag = item.etag) {
      // A press right after a late review was meant for the quantity, not for the review.
      if (isPending || performance.now() - arrivedAt.current < MIN_READING_MS) return
      change(undefined)
      mutate({ quantity, from: quantityState.purchased, etag, key: newKey() })
    },
    /** Requests the total of an open change again, which the vendor treats as the same change. */
    repeat({ to: quantity }: OpenChange) {
      if (!isPending) mutate({ quantity, from: quantityState.purchased, etag: item.etag, key: newKey() })
    },
    /** Retries the last request, whose idempotency key prevents a second effect. */
    again() {
      if (sent && !isPending) mutate(sent)
    },
  }
}

/**
 * Follows the open change of an asset, regardless of who requested it, and shows a toast with its outcome once it is
 * settled. `isPending`: a request of this screen is under way, which shows its own outcome.
 */
function useOutcome({ openChange, assetName }: AssetListItem, isPending: boolean): void {
  const toast = useToast()
  const followed = useRef<string>(undefined)
  const id = isPending ? undefined : openChange?.id
  useEffect(() => {
    const before = followed.current
    followed.current = id
    if (before === undefined || before === id || isPending) return
    readChange(before).then(
      (change) => {
        if (change && !isOpen(change.state)) toast(changeOutcomeText(assetName, change))
      },
      // The asset itself shows its state.
      () => undefined,
    )
  }, [id, isPending, assetName, toast])
}
