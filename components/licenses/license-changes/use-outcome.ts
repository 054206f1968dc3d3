'use client'

import { useEffect, useRef } from 'react'
import { readChange } from '#components/licenses/assets/one-asset.ts'
import { useToast } from '#components/ui/toast.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { isOpen } from '#lib/licenses/license-changes/rules.ts'
import { settledText } from '../assets/labels.ts'

/**
 * Follows the change that is open at an asset, whoever asked for it, and says what became of it once it is not open
 * any more. `isPending`: a request of this very screen is under way, which tells its outcome itself.
 */
export function useOutcome({ openChange, assetName }: AssetListItem, isPending: boolean): void {
  const say = useToast()
  const followed = useRef<string>(undefined)
  const id = isPending ? undefined : openChange?.id
  useEffect(() => {
    const before = followed.current
    followed.current = id
    if (before === undefined || before === id || isPending) return
    readChange(before).then(
      (change) => {
        if (change && !isOpen(change.state)) say(settledText(assetName, change))
      },
      // The asset itself shows what it has.
      () => undefined,
    )
  }, [id, isPending, assetName, say])
}
