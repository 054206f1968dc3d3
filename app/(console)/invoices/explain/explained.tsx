import type { ReactNode } from 'react'
import { CurrencySection } from '#components/costs/explanations/currency-section.tsx'
import { ExplanationFilters } from '#components/costs/explanations/explanation-filters.tsx'
import { MonthPicker } from '#components/costs/explanations/month-picker.tsx'
import { EXPLAIN, type View } from '#components/costs/explanations/view.ts'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { InvoiceExplanation } from '#lib/costs/explanations/contract.ts'
import { monthAndYear, monthText } from '#lib/platform/values/days.ts'
import { toExplanationView } from './explanation-view.ts'

/** Explanation of a month's difference to the previous month, per currency; `profiles` are the selectable ones. */
export function Explained({
  view,
  isOver,
  explanation,
  profiles,
  tools,
}: {
  view: View
  isOver: boolean
  explanation: InvoiceExplanation
  profiles: readonly { id: string; name: string }[]
  tools: ReactNode
}) {
  const { month, previousMonth, currencies, months } = explanation
  const platforms = currencies.flatMap(({ causes }) => causes.map(({ platform }) => ({ platform })))
  return (
    <>
      <div className="mb-3 print:hidden">
        <MonthPicker view={view} month={month} months={months} />
      </div>
      <ExplanationFilters
        view={view}
        profiles={profiles.map(({ id, name }) => ({ id, name }))}
        platforms={platforms}
      >
        {tools}
      </ExplanationFilters>
      {isOver ? null : (
        <p className="mb-4 rounded-card bg-info-tint px-4 py-2.5 text-sm text-info">
          {monthAndYear(month)} is not over: what is gone here may still be billed.
        </p>
      )}
      {toExplanationView(explanation, view).map((one) => (
        <CurrencySection key={one.currency} {...one} />
      ))}
      {currencies.length === 0 ? (
        <Card>
          <EmptyState
            title={`No invoices of ${monthText(previousMonth)} or ${monthAndYear(month)}`}
            action={
              <ButtonLink href={EXPLAIN} prefetch={false}>
                Explain the newest month
              </ButtonLink>
            }
          >
            <p>Neither month has an issued invoice here.</p>
          </EmptyState>
        </Card>
      ) : null}
    </>
  )
}
