/** A subscription as a vendor's own books hold it. `Own` is what only this vendor knows of it. */
export type Subscription<Own = unknown> = {
  id: string
  customerId: string
  skuId: string
  /** Licenses that were bought, or the cap where the plan has one. */
  total: number
  /** Licenses that users hold. */
  assigned: number
  status: string
  plan: string
  /** Epoch milliseconds. */
  createdAt: number
  own: Own
}

/** Whatever may change besides the total. */
export type Patch<Own = unknown> = Partial<Omit<Subscription<Own>, 'total' | 'own'>>

/** A change of the total, in the order in which they happened. */
export type Written = {
  subscriptionId: string
  from: number
  to: number
  at: number
  by: 'client' | 'vendor'
}

/** What a read may ask. Everything that it gives is a copy. */
export type Pages<Own = unknown> = {
  find(id: string): Subscription<Own> | undefined
  /** In the order in which they were added. */
  all(): Subscription<Own>[]
  ofCustomer(customerId: string): Subscription<Own>[]
  /** Of all subscriptions, and of all who have any: these and `find` stay quick with 100,000 subscriptions. */
  ids(): string[]
  customers(): string[]
}

/** The vendor's books: what is true now, and what was true a moment ago. */
export type Book<Own = unknown> = Pages<Own> & {
  add(subscription: Subscription<Own>): void
  /** @throws Error where there is no such subscription */
  setTotal(id: string, total: number, by: Written['by'], own?: Partial<Own>): void
  /** Everything but the total; a new `id` too. */
  change(id: string, patch: Patch<Own>, own?: Partial<Own>): void
  /** Tells subscriptions apart for good, whatever their ids become. */
  keyOf(id: string | undefined): number | undefined
  /** The books as they were. */
  asOf(time: number): Pages<Own>
  writes: Written[]
}

export function newBook<Own>(): Book<Own> {
  type Entry = { at: number; state: Subscription<Own> }
  // The latest state is the last; the id may differ from state to state.
  const histories: Entry[][] = []
  // Where the subscriptions stand now, by id and by customer.
  const places = new Map<string, number>()
  const owned = new Map<string, Set<number>>()
  const writes: Written[] = []

  const now = (place: number | undefined): Subscription<Own> | undefined =>
    place === undefined ? undefined : histories[place]?.at(-1)?.state
  const placeOf = (id: string): number => {
    const place = places.get(id)
    if (place === undefined) throw new Error(`There is no subscription ${id}.`)
    return place
  }
  const enter = (place: number, { id, customerId }: Subscription<Own>) => {
    places.set(id, place)
    owned.set(customerId, (owned.get(customerId) ?? new Set()).add(place))
  }
  const leave = (place: number, { id, customerId }: Subscription<Own>) => {
    places.delete(id)
    owned.get(customerId)?.delete(place)
    if (owned.get(customerId)?.size === 0) owned.delete(customerId)
  }
  const put = (id: string, patch: Partial<Subscription<Own>>, own: Partial<Own> = {}) => {
    const place = placeOf(id)
    const before = now(place) as Subscription<Own>
    const state = structuredClone({ ...before, ...patch, own: { ...before.own, ...own } })
    histories[place]?.push({ at: Date.now(), state })
    if (state.id !== before.id || state.customerId !== before.customerId) {
      leave(place, before)
      enter(place, state)
    }
    return before
  }

  return {
    find: (id) => structuredClone(now(places.get(id))),
    all: () => histories.map((_, place) => structuredClone(now(place) as Subscription<Own>)),
    ofCustomer: (customerId) =>
      [...(owned.get(customerId) ?? [])].map((place) => structuredClone(now(place) as Subscription<Own>)),
    ids: () => histories.map((_, place) => (now(place) as Subscription<Own>).id),
    customers: () => [...owned.keys()],
    writes,
    add(subscription) {
      if (places.has(subscription.id)) throw new Error(`${subscription.id} is taken.`)
      const state = structuredClone(subscription)
      enter(histories.push([{ at: Date.now(), state }]) - 1, state)
    },
    setTotal(id, total, by, own) {
      const before = put(id, { total }, own)
      writes.push({ subscriptionId: id, from: before.total, to: total, at: Date.now(), by })
    },
    change(id, patch, own) {
      put(id, patch, own)
    },
    keyOf: (id) => (id === undefined ? undefined : places.get(id)),
    asOf(time) {
      return pages(
        histories.map((entries) => (entries.findLast(({ at }) => at <= time) ?? first(entries)).state),
      )
    },
  }
}

/** Pages of the past: looked through from the beginning. */
function pages<Own>(states: Subscription<Own>[]): Pages<Own> {
  return {
    find: (id) => structuredClone(states.find((state) => state.id === id)),
    all: () => structuredClone(states),
    ofCustomer: (wanted) => structuredClone(states.filter(({ customerId }) => customerId === wanted)),
    ids: () => states.map(({ id }) => id),
    customers: () => [...new Set(states.map(({ customerId }) => customerId))],
  }
}

function first<Entry>(entries: Entry[]): Entry {
  const [found] = entries
  if (!found) throw new Error('A history has at least one entry.')
  return found
}
