import { ChoiceChips } from '#components/filters/choice-chips.tsx'
import { toggled, valuesOf, withValues } from '#components/filters/view.ts'
import { statesOf, type View } from '#components/invoices/view.ts'
import { INVOICE_STATUS_NAMES, INVOICE_STATUSES } from '#lib/invoices/rules.ts'

/** The status of issued invoices: of what is a draft or voided there is none. */
export function StatusChips({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  if (!statesOf(view).includes('issued')) return null
  const statuses = valuesOf(view, 'status')
  return (
    <div data-off={statuses.length === 0 ? '' : undefined}>
      <ChoiceChips
        legend="Status"
        isAll={statuses.length === 0}
        choices={INVOICE_STATUSES.map((status) => ({
          value: status,
          name: INVOICE_STATUS_NAMES[status],
          isOn: statuses.includes(status),
        }))}
        onAll={() => onChange(withValues(view, 'status', []))}
        onToggle={(status) => onChange(toggled(view, 'status', status))}
      />
    </div>
  )
}
