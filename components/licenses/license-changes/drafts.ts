/** Typed, unconfirmed total, and the purchased total at that time. */
type Draft = { quantity: number; purchased: number }

// In this tab's memory: a sign-out reloads the page, so no later user finds the drafts.
const drafts = new Map<string, Draft>()

/** Remembers a typed total for an asset; undefined, or null for input that is not a whole number, removes it. */
export function saveDraft(assetId: string, quantity: number | null | undefined, purchased: number): void {
  if (typeof quantity === 'number' && quantity !== purchased) drafts.set(assetId, { quantity, purchased })
  else drafts.delete(assetId)
}

/**
 * Returns the total typed before a navigation; undefined where there is none, or the purchased total has changed since.
 */
export function draftOf(assetId: string, purchased: number): number | undefined {
  const draft = drafts.get(assetId)
  if (draft && draft.purchased !== purchased) drafts.delete(assetId)
  return draft?.purchased === purchased ? draft.quantity : undefined
}
