'use client'

import { useEffect, useRef, useState } from 'react'
import type { QuantityFacts } from '#lib/assets/commitment.ts'
import type { AssetListItem } from '#lib/assets/contract.ts'
import { useOutcome } from './use-outcome.ts'
import { isUnknown, newKey, useQuantityChange } from './use-quantity-change.ts'

/**
 * What is typed into one row's control and what becomes of it. A typed total, and a refused one, stay until
 * they are discarded or changed, also while another row is edited: were this row's review to close then, that
 * row would move up, and the next click on its + would meet the button that buys.
 */
export function useLicenseEdit(item: AssetListItem, facts: QuantityFacts) {
  const input = useRef<HTMLInputElement>(null)
  /** The first control of the review: where Enter in the quantity leads. */
  const first = useRef<HTMLElement>(null)
  /** What stands there while a change is open. */
  const place = useRef<HTMLParagraphElement>(null)
  const returns = useRef(false)
  /** Undefined: nothing is typed. Null: what is typed is no whole number. */
  const [draft, setDraft] = useState<number | null>()
  const active = draft !== undefined && draft !== facts.purchased
  const { mutate, reset, isPending, error, variables: sent } = useQuantityChange(item)
  const refused =
    !active && error && !isUnknown(error) && sent !== undefined
      ? { error, quantity: sent.quantity, from: sent.from }
      : undefined

  const held = isPending ? undefined : item.openChange
  useOutcome(item, isPending)

  // When the outcome is known, the focus returns to the control, unless it has gone elsewhere meanwhile.
  const isHeld = held !== undefined
  useEffect(() => {
    if (isPending) returns.current = true
    else if (returns.current) {
      returns.current = isHeld
      const to = isHeld ? place.current : input.current
      if (!document.activeElement?.matches('a, button, input, dialog')) to?.focus({ preventScroll: true })
    }
  }, [isPending, isHeld])

  return {
    input,
    first,
    place,
    isPending,
    /** The change that is open there: until its outcome is known, no other one can be made. */
    held,
    refused,
    draft: active ? draft : facts.purchased,
    value: active ? draft : (refused?.quantity ?? facts.purchased),
    open: active || refused !== undefined,
    edit(next: number | null) {
      reset()
      setDraft(next)
    },
    discard() {
      reset()
      setDraft(undefined)
      input.current?.focus()
    },
    /** Asks for the total; `etag` says for which version, unless it is the one on screen. */
    submit(quantity: number, etag = item.etag) {
      if (isPending) return
      setDraft(undefined)
      mutate({ quantity, from: facts.purchased, etag, key: newKey() })
    },
    /** Asks the same again. Had it been heard the first time, nothing happens twice. */
    again() {
      if (sent && !isPending) mutate(sent)
    },
  }
}
