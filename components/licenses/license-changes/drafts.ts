/** A total that was typed and not confirmed, and the one that stood there then. */
type Draft = { quantity: number; purchased: number }

// In this tab's memory, which a sign-out ends with the page: nobody else finds them.
const drafts = new Map<string, Draft>()

/** Remembers what is typed for an asset; undefined, or null for what is no whole number, forgets it. */
export function saveDraft(assetId: string, quantity: number | null | undefined, purchased: number): void {
  if (typeof quantity === 'number' && quantity !== purchased) drafts.set(assetId, { quantity, purchased })
  else drafts.delete(assetId)
}

/** What was typed before a navigation; undefined where nothing was, or another total stands there since. */
export function draftOf(assetId: string, purchased: number): number | undefined {
  const draft = drafts.get(assetId)
  if (draft && draft.purchased !== purchased) drafts.delete(assetId)
  return draft?.purchased === purchased ? draft.quantity : undefined
}
