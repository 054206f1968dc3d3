'use client'

import { useEffect, useRef, useState } from 'react'
import { type OpenChange, readChange } from '#components/licenses/assets/one-asset.ts'
import { useWaiting } from '#components/platform/waits/use-waiting.ts'
import { useToast } from '#components/ui/toast.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { QuantityState } from '#lib/licenses/assets/quantity-rule.ts'
import { isOpen } from '#lib/licenses/license-changes/rules.ts'
import { changeOutcomeText } from '../assets/labels.ts'
import { draftOf, saveDraft } from './drafts.ts'
import { isUnknown, newKey, useQuantityChange } from './use-quantity-change.ts'

/** Minimum time to read a late review: an earlier press is ignored. */
const MIN_READING_MS = 700

type Draft = {
  /** Undefined: no input. Null: input that is not a whole number. */
  typed: number | null | undefined
  /**
   * Purchased total at the time of typing, for a draft from before a navigation: the total on screen may be older than
   * the service's.
   */
  over?: number
}

export type LicenseEdit = ReturnType<typeof useLicenseEdit>

/**
 * Manages the typed total of one row's control and its request. A typed or rejected total stays until it is discarded or
 * changed, also while another row is edited: if this row's review closed then, the rows below would move up, and the
 * next click on + would hit the button that buys. A typed total survives a navigation as long as the purchased total is
 * unchanged.
 * @param proposed unconfirmed total to begin with
 */
export function useLicenseEdit(item: AssetListItem, quantityState: QuantityState, proposed?: number) {
  const { purchased } = quantityState
  const [{ typed, over }, setDraft] = useState<Draft>(() => {
    const stored = proposed === undefined ? draftOf(item.id, purchased) : undefined
    return stored === undefined ? { typed: proposed } : { typed: stored, over: purchased }
  })
  const draft = over === undefined || over === purchased ? typed : undefined
  const active = draft !== undefined && draft !== purchased
  const { mutate, reset, isPending, error, variables: sent } = useQuantityChange(item)
  const failedChange =
    !active && error && !isUnknown(error) && sent !== undefined
      ? { error, quantity: sent.quantity, from: sent.from }
      : undefined

  const openChange = isPending ? undefined : item.openChange
  const isWaiting = useWaiting(item.waitUntil)
  const waitUntil = isWaiting && !isPending && !openChange ? item.waitUntil : undefined
  const isLocked = openChange !== undefined || waitUntil !== undefined
  const { isTooEarly, cancelEntry, ...focus } = useReviewFocus({ active, isPending, isLocked })
  useOutcome(item, isPending)

  const change = (next: number | null | undefined) => {
    saveDraft(item.id, next, purchased)
    setDraft({ typed: next })
  }
  const send = (quantity: number, etag = item.etag) =>
    mutate({ quantity, from: purchased, etag, key: newKey() })

  return {
    ...focus,
    isPending,
    /** Open change of the asset: until its outcome is known, no other change can be made. */
    openChange,
    /** Time until which the vendor accepts no other change, in epoch milliseconds. */
    waitUntil,
    failedChange,
    draft: active ? draft : purchased,
    value: active ? draft : (failedChange?.quantity ?? purchased),
    open: active || failedChange !== undefined,
    setQuantity(next: number | null) {
      cancelEntry()
      reset()
      change(next)
    },
    discard() {
      reset()
      change(undefined)
      focus.input.current?.focus()
    },
    /** Requests the total; `etag` is the version to change, by default the one on screen. */
    submit(quantity: number, etag?: string) {
      if (isPending || isTooEarly()) return
      change(undefined)
      send(quantity, etag)
    },
    /** Requests the total of an open change again, which the vendor treats as the same change. */
    repeat({ to: quantity }: OpenChange) {
      if (!isPending) send(quantity)
    },
    /** Retries the last request, whose idempotency key prevents a second effect. */
    retry() {
      if (sent && !isPending) mutate(sent)
    },
  }
}

type ReviewFocusInput = {
  /** Whether a total is typed, so that a review is shown or about to be. */
  active: boolean
  isPending: boolean
  /** Whether a status replaces the control's input. */
  isLocked: boolean
}

/**
 * Moves the focus between the quantity, its review and the status that replaces the review. Once the outcome of a request
 * is known, the focus returns to the control, unless the user has moved the focus in the meantime.
 */
function useReviewFocus({ active, isPending, isLocked }: ReviewFocusInput) {
  const input = useRef<HTMLInputElement>(null)
  const firstControl = useRef<HTMLElement>(null)
  const statusNote = useRef<HTMLParagraphElement>(null)
  const returns = useRef(false)
  /** Whether the user pressed Enter in the quantity before the review was rendered. */
  const isEntering = useRef(false)
  const enteredAt = useRef(Number.NEGATIVE_INFINITY)

  useEffect(() => {
    if (isPending) returns.current = true
    else if (returns.current) {
      returns.current = isLocked
      const to = isLocked ? statusNote.current : input.current
      if (!document.activeElement?.matches('a, button, input, dialog')) to?.focus({ preventScroll: true })
    }
  }, [isPending, isLocked])

  return {
    input,
    /** First control of the review: Enter in the quantity moves the focus here. */
    firstControl,
    /** Status that replaces the review while a change is open. */
    statusNote,
    /** Moves the focus into the review: immediately, or once the review is rendered. */
    focusReview() {
      if (firstControl.current) firstControl.current.focus()
      else isEntering.current = active
    },
    /** Called when the review is rendered. */
    handleReviewReady() {
      // Don't take back the focus of a user who has moved on: the next Enter in the review would buy.
      if (isEntering.current && document.activeElement === input.current) {
        firstControl.current?.focus()
        enteredAt.current = performance.now()
      }
      isEntering.current = false
    },
    cancelEntry() {
      isEntering.current = false
    },
    /** Returns whether a press right after a late review was meant for the quantity, not for the review. */
    isTooEarly: () => performance.now() - enteredAt.current < MIN_READING_MS,
  }
}

/**
 * Follows the open change of an asset, regardless of its requester, and shows a toast with the outcome once the change is
 * settled.
 * @param isPending whether a request of this screen is running, which shows its own outcome
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
