import { listScreen, pathWith } from '#components/lists/filters/list-screen.ts'
import { valuesOf } from '#components/lists/filters/view.ts'
import { listInvoices } from '#lib/billing/client.ts'
import type { listInvoices as contract } from '#lib/billing/invoices/contract.ts'
import { DOCUMENT_STATES, type DocumentState } from '#lib/billing/invoices/rules.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** Decoded query of `listInvoices`, which the screen shows. */
export type View = Input<typeof contract>['query']

export const { hrefOf, pagesOf, isFiltered, rangeOf, withRange } = listScreen<View>(
  '/invoices',
  listInvoices.search,
  'day',
)

/** Returns the document states of a view without duplicates; issued by default. */
export function statesOf(view: View): readonly DocumentState[] {
  const requested = valuesOf(view, 'state')
  return requested.length === 0 ? ['issued'] : DOCUMENT_STATES.filter((state) => requested.includes(state))
}

/** Returns the address of an invoice, including the list's query for the way back to the same view. */
export function invoiceHref(id: string, search: string): string {
  return pathWith(`/invoices/${encodeURIComponent(id)}`, search)
}

/** Returns the address of a comparison; without `from` the first invoice is chosen there. */
export function comparisonHref(from: string | undefined, to: string): string {
  const parts = [
    ...(from === undefined ? [] : [`from=${encodeURIComponent(from)}`]),
    `to=${encodeURIComponent(to)}`,
  ]
  return pathWith('/invoices/compare', parts.join('&'))
}

/** Returns the address of a month's explanation, `2026-10`, for the invoices that `filter` selects. */
export function explanationHref(
  month: string,
  filter: Pick<NonNullable<View['filter']>, 'platform' | 'issuer' | 'billingProfile' | 'currency'>,
): string {
  const search = listInvoices.search({ filter })
  return pathWith('/invoices/explain', [`month=${month}`, search].filter(Boolean).join('&'))
}
