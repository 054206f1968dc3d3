import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { NewInvoice } from '../schemas.ts'

/** An invoice of a file, on its way to its customer. */
export type Entry = {
  /** Absent: the customer that the import is for. */
  owner?: CustomerId | undefined
  invoice: NewInvoice
  /** Its sum as the file has it, where the invoice rounds it; exact decimal text. */
  exact?: string | undefined
}

/** Part of an import for one customer, to be read to its end before the next part. */
export type Part = { customerId: CustomerId; entries: AsyncIterable<Entry> }

/**
 * Entries that come customer after customer, as one part for each.
 * @param named whose the entries are that name no owner
 * @throws Error where a part is left before its end
 */
export async function* partsOf(
  entries: Iterable<Entry> | AsyncIterable<Entry>,
  named: CustomerId | undefined,
): AsyncGenerator<Part> {
  const all = (async function* () {
    yield* entries
  })()
  const ownerOf = ({ owner = named }: Entry) => {
    if (owner === undefined) throw new Error('An invoice has no customer.')
    return owner
  }
  try {
    let next = await all.next()
    while (!next.done) {
      const customerId = ownerOf(next.value)
      let isRead = false
      const records = async function* () {
        for (; !next.done && ownerOf(next.value) === customerId; next = await all.next()) yield next.value
        isRead = true
      }
      yield { customerId, entries: records() }
      if (!isRead) throw new Error('A part of an import was not read to its end.')
    }
  } finally {
    await all.return(undefined)
  }
}
