import 'server-only'
import { and, desc, eq, or } from 'drizzle-orm'
import type { Caller } from '#lib/access/rules.ts'
import { checkPermission } from '#lib/api/operation.ts'
import { Problem } from '#lib/api/problem.ts'
import { epochOfDay } from '#lib/days.ts'
import { invoices } from '#lib/db/schema/invoices.ts'
import { readScope } from '#lib/db/scope.ts'
import type { Invoice } from '#lib/invoices/contract.ts'
import { issued, owned } from '#lib/invoices/owned-and-selected.ts'
import { type InvoiceRow, readHead, readInvoice } from '#lib/invoices/store.ts'
import { type Comparison, compareInvoices, incomparable } from './comparison.ts'

export type ComparedInvoices = { from: InvoiceRow; to: InvoiceRow; comparison: Comparison }

/**
 * Reads two invoices as they are at one moment and compares them.
 * @throws Problem `not_found`, or `not_comparable` where platform or currency differ
 */
export async function readComparison(caller: Caller, given: { from: string; to: string }) {
  const [from, to] = await readScope(caller, (tx) =>
    Promise.all([readInvoice(tx, caller, given.from), readInvoice(tx, caller, given.to)]),
  )
  if (!from || !to) throw new Problem('not_found')
  const why = incomparable(from.invoice, to.invoice)
  if (why) throw notComparable(why, from.invoice, to.invoice)
  const side = ({ invoice, lines }: typeof from) => ({ ...invoice, lines })
  const comparison = compareInvoices(side(from), side(to))
  return { from: from.invoice, to: to.invoice, comparison } satisfies ComparedInvoices
}

function notComparable(why: 'platform' | 'currency', from: InvoiceRow, to: InvoiceRow): Problem {
  const only = why === 'platform' ? 'of one platform' : 'in one currency'
  const detail = `Only invoices ${only} can be compared: ${from.id} is ${from[why]}, ${to.id} is ${to[why]}.`
  const errors = ['from', 'to'].map((parameter) => ({ parameter, detail: `must be ${only}` }))
  return new Problem('not_comparable', detail, { errors })
}

/** How many invoices there are to choose from. */
const MOST_CHOICES = 250

/** An invoice as it is answered, in short. */
export type Choice = Pick<Invoice, 'id' | 'number' | 'issuer' | 'invoiceDate' | 'totalAmount' | 'currency'>

/**
 * The newest issued invoices that one can be compared with, itself among them, whatever document it is; none where the
 * caller can't see it.
 */
export async function comparableInvoices(caller: Caller, id: string): Promise<Choice[]> {
  checkPermission(caller, 'invoice-viewer')
  const { number, issuer, invoiceDate, totalAmount, currency } = invoices
  const rows = await readScope(
    caller,
    async (tx) => {
      const one = await readHead(tx, caller, id)
      if (!one) return []
      return tx
        .select({ id: invoices.id, number, issuer, invoiceDate, totalAmount, currency })
        .from(invoices)
        .where(
          and(
            ...owned(caller),
            or(issued, eq(invoices.id, one.id)),
            eq(invoices.platform, one.platform),
            eq(currency, one.currency),
          ),
        )
        .orderBy(desc(invoiceDate), desc(invoices.id))
        .limit(MOST_CHOICES)
    },
    { mayBeOld: true },
  )
  return rows.map((row) => ({
    ...row,
    invoiceDate: epochOfDay(row.invoiceDate),
    totalAmount: Number(row.totalAmount),
  }))
}
