import 'server-only'
import { and, inArray, not } from 'drizzle-orm'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Owner, owned, selected } from '../owned-and-selected.ts'
import { daysOf, type Selection } from '../selection.ts'
import { partsOf, type Sums, sumInvoices, sumParts } from '../sums/summary.ts'
import { wayOf } from '../sums/way.ts'
import { byTokens } from './find.ts'
import { idsOf, isOneOf, issuersOf } from './found.ts'

/** So many are added up one by one by their ids; of more, all invoices are read. */
const MOST_READ = 5000

/**
 * Exact sums of whatever is selected, as `sumInvoices` gives them. Of a search, those of an issuer that it finds come
 * from the kept sums, and the other ones are read, as long as they are few.
 */
export async function sumFound(tx: Transaction, owner: Owner, selection: Selection): Promise<Sums> {
  const wanted = await byTokens(tx, owner, selection)
  if (!wanted) return sumInvoices(tx, owner, selection)
  const { search, filter, ...times } = wanted
  const [issuers, ids] = await Promise.all([
    issuersOf(tx, owner.customerId, search),
    idsOf(tx, { customerId: owner.customerId, search, days: daysOf(wanted) }, MOST_READ),
  ])
  if (!ids) return sumInvoices(tx, owner, selection)
  const byNumber = and(
    ...owned(owner),
    ...selected(wanted),
    isOneOf(ids),
    not(inArray(invoices.issuer, issuers)),
  )
  const both = filter?.issuer?.filter((issuer) => issuers.includes(issuer)) ?? issuers
  if (both.length === 0) return sumParts(tx, { months: undefined, rows: [byNumber] })
  const sent = { ...times, filter: { ...filter, issuer: both } }
  const { months, rows } = partsOf(owner, sent, wayOf(sent))
  return sumParts(tx, { months, rows: [...rows, byNumber] })
}
