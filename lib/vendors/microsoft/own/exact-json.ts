import 'server-only'

// JSON that keeps the digits of its numbers, because a write sends Microsoft's whole object back. No other vendor
// wants that.

/** An object's JSON with another quantity, and all else as it was. The JSON is one that has been read before. */
export function withQuantity(json: string, quantity: number): string {
  return JSON.stringify({ ...(exactly(json) as object), quantity })
}

/**
 * An object's JSON that is to be renewed, with an order for the next term, or with none.
 * @param order its product by the names of the API, and the total
 */
export function withNextTerm(json: string, order: { product: object; quantity: number } | undefined): string {
  const given = exactly(json) as object
  return order
    ? JSON.stringify({ ...given, autoRenewEnabled: true, scheduledNextTermInstructions: order })
    : JSON.stringify({ ...given, scheduledNextTermInstructions: null })
}

/** The JSON of each item of a list. The list is one that has been read before. */
export function itemsOf(json: string): string[] {
  const { items } = exactly(json) as { items?: unknown }
  return Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : []
}

/** Not yet in TypeScript's library: a reviver gets the source of each number, and rawJSON writes it as it was. */
const exact = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(source: string): unknown
}

/** Objects that keep the digits of their numbers, to be written again. */
function exactly(json: string): unknown {
  return exact.parse(json, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
  )
}
