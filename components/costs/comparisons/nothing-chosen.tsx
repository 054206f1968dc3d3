import { EXPLAIN } from '#components/costs/explanations/view.ts'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { type Choice, InvoicePicker } from './comparison-picker.tsx'

/** No invoice is named: one is chosen here, or the month as a whole is explained. */
export function NothingChosen({ choices }: { choices: readonly Choice[] }) {
  return (
    <>
      {choices.length > 0 ? <InvoicePicker choices={choices} /> : null}
      <Card>
        {choices.length > 0 ? (
          <EmptyState
            title="Choose an invoice first"
            action={
              <ButtonLink href={EXPLAIN} prefetch={false}>
                Explain the month
              </ButtonLink>
            }
          >
            <p>
              It can be compared with any other of its platform and currency. Why a whole month is dearer is
              explained apart.
            </p>
          </EmptyState>
        ) : (
          <EmptyState
            title="No invoice yet"
            action={<ButtonLink href="/invoices">Go to invoices</ButtonLink>}
          >
            <p>There is nothing to compare until an invoice has been issued.</p>
          </EmptyState>
        )}
      </Card>
    </>
  )
}
