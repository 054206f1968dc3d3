import { ArrowLeftRight } from 'lucide-react'
import { useId } from 'react'
import { disambiguatingIssuer } from '#components/billing/invoices/numbers.ts'
import { comparisonHref } from '#components/billing/invoices/view.ts'
import { EXPLAIN } from '#components/costs/explanations/view.ts'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { buttonVariants } from '#components/ui/button-variants.ts'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { formatAmount } from '#lib/platform/values/money.ts'

/** Invoice to choose from. */
type Choice = Pick<Invoice, 'id' | 'number' | 'issuer' | 'invoiceDate' | 'totalAmount' | 'currency'>

/** Selects two comparable invoices. A plain form, which works before scripts have loaded. */
export function ComparisonPicker({
  choices,
  from,
  to,
}: {
  choices: readonly Choice[]
  from: string
  to: string
}) {
  return (
    <form action="/invoices/compare" className="mb-4 flex flex-wrap items-end gap-2 print:hidden">
      <Picker name="from" label="From" choices={choices} selected={from} />
      <Picker name="to" label="To" choices={choices} selected={to} />
      <button type="submit" className={buttonVariants('plain')}>
        Compare
      </button>
      {from && to ? (
        <ButtonLink variant="quiet" href={comparisonHref(to, from)} prefetch={false}>
          <ArrowLeftRight aria-hidden="true" className="size-3.5" />
          Swap
        </ButtonLink>
      ) : null}
    </form>
  )
}

/** Selects the first invoice; the invoice to compare with is chosen on the next page. */
function InvoicePicker({ choices }: { choices: readonly Choice[] }) {
  return (
    <form action="/invoices/compare" className="mb-4 flex flex-wrap items-end gap-2 print:hidden">
      <Picker name="to" label="Invoice" choices={choices} selected="" />
      <button type="submit" className={buttonVariants('plain')}>
        Choose
      </button>
    </form>
  )
}

function Picker({
  name,
  label,
  choices,
  selected,
}: {
  name: string
  label: string
  choices: readonly Choice[]
  selected: string
}) {
  const id = useId()
  const issuerOf = disambiguatingIssuer(choices)
  const isOffered = choices.some((choice) => choice.id === selected)
  return (
    <div className="flex min-w-0 flex-col gap-1 text-xs max-md:w-full">
      <label htmlFor={id} className="text-ink-3">
        {label}
      </label>
      <select
        // A new address resets the form: an earlier choice must not stay.
        key={selected}
        id={id}
        name={name}
        required
        defaultValue={selected}
        className="h-8.5 w-full min-w-0 rounded-control border border-line-2 bg-surface px-2.5 text-sm font-medium text-ink tabular-nums shadow-card max-md:h-10 md:max-w-88"
      >
        {selected ? null : <option value="">Choose an invoice</option>}
        {selected && !isOffered ? <option value={selected}>{selected}</option> : null}
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {[choice.number, issuerOf(choice)].filter(Boolean).join(', ')} · {dayText(choice.invoiceDate)} ·{' '}
            {formatAmount(choice.totalAmount, choice.currency)} {choice.currency}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Page without a selected invoice: one can be chosen, or the whole month explained. */
export function NothingChosen({ choices }: { choices: readonly Choice[] }) {
  return (
    <>
      {choices.length > 0 ? <InvoicePicker choices={choices} /> : null}
      <Card>
        {choices.length > 0 ? (
          <EmptyState
            title="Select an invoice to compare"
            action={
              <ButtonLink href={EXPLAIN} prefetch={false}>
                Month comparison
              </ButtonLink>
            }
          >
            <p>
              Compare it with any other invoice of its platform and currency. To see why a month costs more,
              open Month comparison.
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
