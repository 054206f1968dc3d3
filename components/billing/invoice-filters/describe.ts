import { rangeOf, statesOf, type View } from '#components/billing/invoices/view.ts'
import { amountsText } from '#components/lists/filters/amount-range.ts'
import { rangeText } from '#components/lists/filters/date-range.ts'
import { valuesOf } from '#components/lists/filters/view.ts'
import {
  DOCUMENT_KIND_NAMES,
  DOCUMENT_STATE_NAMES,
  type DocumentKind,
  INVOICE_STATUS_NAMES,
  type InvoiceStatus,
} from '#lib/billing/invoices/rules.ts'
import { dayBegin, dayText } from '#lib/platform/values/days.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { type FilterChoices, profileName } from './choices.ts'

/** Returns the active filters as text, because print has no controls. */
export function describeFilters(view: View, choices: Pick<FilterChoices, 'profiles'>): string[] {
  const range = rangeOf(view)
  const hasRange = range.from !== undefined || range.to !== undefined
  const amounts = amountsText({ from: view.minAmount, to: view.maxAmount })
  const states = statesOf(view)
  return [
    view.search ? `Found by “${view.search}”` : undefined,
    hasRange ? rangeText(range) : undefined,
    ...valuesOf(view, 'status').map((status) => INVOICE_STATUS_NAMES[status as InvoiceStatus] ?? status),
    ...valuesOf(view, 'document').map((kind) => DOCUMENT_KIND_NAMES[kind as DocumentKind] ?? kind),
    ...valuesOf(view, 'billingProfile').map((id) => `Billed to ${profileName(choices, id)}`),
    ...valuesOf(view, 'issuer').map((issuer) => `From ${issuer}`),
    ...valuesOf(view, 'platform').map(platformName),
    ...valuesOf(view, 'currency'),
    amounts === undefined ? undefined : `Amount: ${amounts}`,
    view.product ? `With “${view.product}”` : undefined,
    ...(states.length === 1 && states[0] === 'issued'
      ? []
      : states.map((state) => DOCUMENT_STATE_NAMES[state])),
    ...dueTexts(view),
  ].filter((text) => text !== undefined)
}

/** Returns the due dates of a view as text: a range of days, and single days. */
export function dueTexts(view: View): string[] {
  const { minDueDate: min, maxDueDate: max } = view
  const dayOf = (at: number | undefined) => (at === undefined ? undefined : dayBegin(at))
  const text = rangeText({ from: dayOf(min), to: dayOf(max) })
  const days = valuesOf(view, 'dueDate').map((day) => dayText(Number(day)))
  return [
    ...(min === undefined && max === undefined
      ? []
      : [`Due ${text.charAt(0).toLowerCase()}${text.slice(1)}`]),
    ...(days.length > 0 ? [`Due ${days.join(', ')}`] : []),
  ]
}
