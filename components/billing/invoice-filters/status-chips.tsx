import { statesOf, type View } from '#components/billing/invoices/view.ts'
import { ChoiceChips } from '#components/lists/filters/choice-chips.tsx'
import { toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { type DocumentKind, INVOICE_STATUS_NAMES, INVOICE_STATUSES } from '#lib/billing/invoices/rules.ts'

const CREDIT: DocumentKind = 'credit-note'

/**
 * The status of issued invoices, of which a draft or a voided one has none; and credit notes, which are not owed: of
 * these and a status, one at a time.
 */
export function StatusChips({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  if (!statesOf(view).includes('issued')) return null
  const statuses = valuesOf(view, 'status')
  const kinds = valuesOf(view, 'document')
  const isAll = statuses.length === 0 && kinds.length === 0
  const withoutKind = withValues(view, 'document', [])
  return (
    <div data-off={isAll ? '' : undefined}>
      <ChoiceChips
        legend="Status"
        isAll={isAll}
        choices={[
          ...INVOICE_STATUSES.map((status) => ({
            value: status,
            name: INVOICE_STATUS_NAMES[status],
            isOn: statuses.includes(status),
          })),
          { value: CREDIT, name: 'Credit notes', isOn: kinds.includes(CREDIT) },
        ]}
        onAll={() => onChange(withValues(withoutKind, 'status', []))}
        onToggle={(value) =>
          onChange(
            value === CREDIT
              ? toggled(withValues(view, 'status', []), 'document', CREDIT)
              : toggled(withoutKind, 'status', value),
          )
        }
      />
    </div>
  )
}
