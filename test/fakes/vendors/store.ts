/** A subscription in a vendor's store. `VendorFields` are the fields that only this vendor has. */
export type Subscription<VendorFields = unknown> = {
  id: string
  customerId: string
  skuId: string
  /** Purchased licenses, or the cap if the plan has one. */
  total: number
  /** Licenses that users hold. */
  assigned: number
  status: string
  plan: string
  /** Epoch milliseconds. */
  createdAt: number
  vendorFields: VendorFields
}

/** Fields other than the total that may change. */
export type Patch<VendorFields = unknown> = Partial<
  Omit<Subscription<VendorFields>, 'total' | 'vendorFields'>
>

/** A change of the total. Changes are in chronological order. */
export type Written = {
  subscriptionId: string
  from: number
  to: number
  at: number
  by: 'client' | 'vendor'
}

/** Queries of a read. All results are copies. */
export type Pages<VendorFields = unknown> = {
  find(id: string): Subscription<VendorFields> | undefined
  /** In the order of their addition. */
  all(): Subscription<VendorFields>[]
  ofCustomer(customerId: string): Subscription<VendorFields>[]
  /** Ids of all subscriptions, and of all customers with one: these and `find` stay fast with 100,000 subscriptions. */
  ids(): string[]
  customers(): string[]
}

/** The vendor's subscriptions: their current state, and the state of a moment ago. */
export type Store<VendorFields = unknown> = Pages<VendorFields> & {
  add(subscription: Subscription<VendorFields>): void
  /** @throws Error if there is no such subscription */
  setTotal(id: string, total: number, by: Written['by'], vendorFields?: Partial<VendorFields>): void
  /** Changes everything but the total, including the `id`. */
  change(id: string, patch: Patch<VendorFields>, vendorFields?: Partial<VendorFields>): void
  /** Returns a permanent key of a subscription, which stays the same when its id changes. */
  keyOf(id: string | undefined): number | undefined
  /** Returns the store's state at a time. */
  asOf(time: number): Pages<VendorFields>
  writes: Written[]
}

export function newStore<VendorFields>(): Store<VendorFields> {
  type Entry = { at: number; state: Subscription<VendorFields> }
  // The latest state is last; the id may differ from state to state.
  const histories: Entry[][] = []
  // Current subscriptions, by id and by customer.
  const indexById = new Map<string, number>()
  const indexesByCustomer = new Map<string, Set<number>>()
  const writes: Written[] = []

  const now = (index: number | undefined): Subscription<VendorFields> | undefined =>
    index === undefined ? undefined : histories[index]?.at(-1)?.state
  const indexOf = (id: string): number => {
    const index = indexById.get(id)
    if (index === undefined) throw new Error(`There is no subscription ${id}.`)
    return index
  }
  const enter = (index: number, { id, customerId }: Subscription<VendorFields>) => {
    indexById.set(id, index)
    indexesByCustomer.set(customerId, (indexesByCustomer.get(customerId) ?? new Set()).add(index))
  }
  const leave = (index: number, { id, customerId }: Subscription<VendorFields>) => {
    indexById.delete(id)
    indexesByCustomer.get(customerId)?.delete(index)
    if (indexesByCustomer.get(customerId)?.size === 0) indexesByCustomer.delete(customerId)
  }
  const put = (
    id: string,
    patch: Partial<Subscription<VendorFields>>,
    vendorFields: Partial<VendorFields> = {},
  ) => {
    const index = indexOf(id)
    const before = now(index) as Subscription<VendorFields>
    const state = structuredClone({
      ...before,
      ...patch,
      vendorFields: { ...before.vendorFields, ...vendorFields },
    })
    histories[index]?.push({ at: Date.now(), state })
    if (state.id !== before.id || state.customerId !== before.customerId) {
      leave(index, before)
      enter(index, state)
    }
    return before
  }

  return {
    find: (id) => structuredClone(now(indexById.get(id))),
    all: () => histories.map((_, index) => structuredClone(now(index) as Subscription<VendorFields>)),
    ofCustomer: (customerId) =>
      [...(indexesByCustomer.get(customerId) ?? [])].map((index) =>
        structuredClone(now(index) as Subscription<VendorFields>),
      ),
    ids: () => histories.map((_, index) => (now(index) as Subscription<VendorFields>).id),
    customers: () => [...indexesByCustomer.keys()],
    writes,
    add(subscription) {
      if (indexById.has(subscription.id)) throw new Error(`${subscription.id} is taken.`)
      const state = structuredClone(subscription)
      enter(histories.push([{ at: Date.now(), state }]) - 1, state)
    },
    setTotal(id, total, by, vendorFields) {
      const before = put(id, { total }, vendorFields)
      writes.push({ subscriptionId: id, from: before.total, to: total, at: Date.now(), by })
    },
    change(id, patch, vendorFields) {
      put(id, patch, vendorFields)
    },
    keyOf: (id) => (id === undefined ? undefined : indexById.get(id)),
    asOf(time) {
      return pages(
        histories.map((entries) => (entries.findLast(({ at }) => at <= time) ?? first(entries)).state),
      )
    },
  }
}

/** Returns the pages of a past state, found by scanning from the beginning. */
function pages<VendorFields>(states: Subscription<VendorFields>[]): Pages<VendorFields> {
  return {
    find: (id) => structuredClone(states.find((state) => state.id === id)),
    all: () => structuredClone(states),
    ofCustomer: (customer) => structuredClone(states.filter(({ customerId }) => customerId === customer)),
    ids: () => states.map(({ id }) => id),
    customers: () => [...new Set(states.map(({ customerId }) => customerId))],
  }
}

function first<Entry>(entries: Entry[]): Entry {
  const [entry] = entries
  if (!entry) throw new Error('A history has at least one entry.')
  return entry
}
