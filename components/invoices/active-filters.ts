import { type ActiveFilter, activeValues, changed } from '#components/filters/view.ts'
import { dayText } from '#lib/days.ts'
import {
  DOCUMENT_STATE_NAMES,
  type DocumentState,
  INVOICE_STATUS_NAMES,
  type InvoiceStatus,
  platformName,
} from '#lib/invoices/rules.ts'
import { activeRange, type View } from './view.ts'

/** Every filter that is on, each with the view without it. */
export function activeFilters(view: View, today: number): ActiveFilter<View>[] {
  const search = { text: `Found by “${view.search}”`, without: changed(view, { search: undefined }) }
  return [
    ...(view.search ? [search] : []),
    ...activeRange(view, today),
    ...activeValues(view, 'platform', platformName),
    ...activeValues(view, 'status', (status) => INVOICE_STATUS_NAMES[status as InvoiceStatus] ?? status),
    ...activeValues(view, 'state', (state) => DOCUMENT_STATE_NAMES[state as DocumentState] ?? state),
    ...activeValues(view, 'issuer', (issuer) => `From ${issuer}`),
    ...activeValues(view, 'billingProfile', (profile) => `Billing profile ${profile}`),
    ...activeValues(view, 'currency', (currency) => currency),
    ...activeValues(view, 'dueDate', (day) => `Due ${dayText(Number(day))}`),
  ]
}
