import 'server-only'

/** Why somebody whom nobody knows was refused. */
export type StrangerKind = 'unknown-key' | 'unknown-account' | 'throttled'

// A page and a route handler get separate copies of this module in a production build.
const slot = globalThis as typeof globalThis & { licensesInvoicesStrangers?: Map<StrangerKind, number> }
slot.licensesInvoicesStrangers ??= new Map()
const counts = slot.licensesInvoicesStrangers

/** Counts a refusal that concerns no customer. It costs no row and no statement, however many come. */
export function countStranger(kind: StrangerKind): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
}

/** What was counted since it was taken last. */
export function takeStrangers(): [kind: StrangerKind, count: number][] {
  const taken = [...counts]
  counts.clear()
  return taken
}

/** Puts back what could not be kept. */
export function returnStrangers(taken: readonly (readonly [StrangerKind, number])[]): void {
  for (const [kind, count] of taken) counts.set(kind, (counts.get(kind) ?? 0) + count)
}
