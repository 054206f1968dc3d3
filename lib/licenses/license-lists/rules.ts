import { decideQuantity, needsTypedTotal, type QuantityState } from '#lib/licenses/assets/quantity-rule.ts'

/** Most assets that one list may change. */
export const MAX_TARGETS = 250

/** A row of a list: an asset, and its total number of licenses after the change. */
export type Target = { line: number; assetId: string; quantity: number }

/** Totals of changes, in licenses. `committed` is the addition on commitment plans, which can't be undone. */
type Totals = { assets: number; added: number; removed: number; committed: number; mustType: boolean }

/** Sums up changes; `mustType`: at least one of them would need its total typed. */
export function totalsOf(changes: readonly { quantityState: QuantityState; quantity: number }[]): Totals {
  const totals: Totals = { assets: changes.length, added: 0, removed: 0, committed: 0, mustType: false }
  for (const { quantityState, quantity } of changes) {
    const change = quantity - quantityState.purchased
    totals.added += Math.max(0, change)
    totals.removed += Math.max(0, -change)
    if (quantityState.isCommitmentPlan) totals.committed += Math.max(0, change)
    totals.mustType ||=
      decideQuantity(quantityState, quantity).allowed && needsTypedTotal(quantityState, quantity)
  }
  return totals
}

/** Returns the totals in words: `Set 12 assets, +137 licenses, of which 90 can’t be lowered before their renewal`. */
export function totalsText({ assets, added, removed, committed }: Totals): string {
  const count = (value: number) => value.toLocaleString('en')
  const parts = [added > 0 ? `+${count(added)}` : '', removed > 0 ? `−${count(removed)}` : ''].filter(Boolean)
  const only = added + removed === 1 ? 'license' : 'licenses'
  const what = `Set ${count(assets)} ${assets === 1 ? 'asset' : 'assets'}, ${parts.join(' and ')} ${only}`
  if (committed === 0) return what
  const which =
    removed > 0
      ? `; ${committed < added ? `${count(committed)} of the added ones` : 'the added ones'} `
      : `, ${committed < added ? `of which ${count(committed)}` : 'which'} `
  return `${what}${which}can’t be lowered before their renewal`
}
