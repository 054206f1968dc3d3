'use client'

import { useEffect, useRef, useState } from 'react'
import type { AssetListItem } from '#lib/assets/contract.ts'
import type { QuantityFacts } from '#lib/assets/rules.ts'
import { useQuantityChange } from './use-quantity-change.ts'

/**
 * What is typed into one row's control and what becomes of it. `active` says whether this is the row that is
 * being edited. A refused total stays until it is discarded or changed.
 */
export function useLicenseEdit(
  item: AssetListItem,
  facts: QuantityFacts,
  active: boolean,
  onActive: (id: string | undefined) => void,
) {
  const input = useRef<HTMLInputElement>(null)
  /** The first control of the review: where Enter in the quantity leads. */
  const first = useRef<HTMLElement>(null)
  const returns = useRef(false)
  const [draft, setDraft] = useState<number | null>(null)
  const { mutate, reset, isPending, error, variables: sent } = useQuantityChange(item)
  const refused = !active && error && sent !== undefined ? { error, quantity: sent } : undefined

  // When the answer comes, the focus returns to the control, unless it has gone elsewhere meanwhile.
  useEffect(() => {
    if (isPending) returns.current = true
    else if (returns.current) {
      returns.current = false
      if (!document.activeElement?.matches('a, button, input, dialog')) input.current?.focus()
    }
  }, [isPending])

  return {
    input,
    first,
    isPending,
    refused,
    draft,
    value: active ? draft : (refused?.quantity ?? facts.purchased),
    open: active || refused !== undefined,
    edit(next: number | null) {
      reset()
      setDraft(next)
      onActive(next === facts.purchased ? undefined : item.id)
    },
    discard() {
      reset()
      if (active) onActive(undefined)
      input.current?.focus()
    },
    submit(quantity: number) {
      if (isPending) return
      if (active) onActive(undefined)
      mutate(quantity)
    },
  }
}
