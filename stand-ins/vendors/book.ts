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
  const writes: Written[] = []

  const now = (): Subscription<Own>[] => histories.map((entries) => latest(entries).state)
  const historyOf = (id: string) => {
    const found = histories.find((entries) => latest(entries).state.id === id)
    if (!found) throw new Error(`There is no subscription ${id}.`)
    return found
  }
  const put = (id: string, patch: Partial<Subscription<Own>>, own: Partial<Own> = {}) => {
    const entries = historyOf(id)
    const before = latest(entries).state
    const state = structuredClone({ ...before, ...patch, own: { ...before.own, ...own } })
    entries.push({ at: Date.now(), state })
    return before
  }

  return {
    ...pages(now),
    writes,
    add(subscription) {
      if (now().some(({ id }) => id === subscription.id)) throw new Error(`${subscription.id} is taken.`)
      histories.push([{ at: Date.now(), state: structuredClone(subscription) }])
    },
    setTotal(id, total, by, own) {
      const before = put(id, { total }, own)
      writes.push({ subscriptionId: id, from: before.total, to: total, at: Date.now(), by })
    },
    change(id, patch, own) {
      put(id, patch, own)
    },
    keyOf(id) {
      const key = histories.findIndex((entries) => latest(entries).state.id === id)
      return key < 0 ? undefined : key
    },
    asOf(time) {
      return pages(() =>
        histories.map((entries) => (entries.findLast(({ at }) => at <= time) ?? first(entries)).state),
      )
    },
  }
}

function pages<Own>(states: () => Subscription<Own>[]): Pages<Own> {
  return {
    find: (id) => structuredClone(states().find((state) => state.id === id)),
    all: () => structuredClone(states()),
  }
}

function first<Entry>(entries: Entry[]): Entry {
  const [found] = entries
  if (!found) throw new Error('A history has at least one entry.')
  return found
}

function latest<Entry>(entries: Entry[]): Entry {
  return entries.at(-1) ?? first(entries)
}
