import 'server-only'

/** A page of all subscriptions of all customers. */
export type ListPage<Item> = {
  kind: 'page'
  items: Item[]
  /** The vendor's customers whose subscriptions could not be read: nothing is known of them from this page. */
  failed: string[]
  /** Leads to the following page; undefined on the last one. */
  next: string | undefined
}

/** The vendor does not take this cursor any more: a list begins anew. */
export type StaleCursor = { kind: 'stale'; reason: string }
