import { hrefOf, statesOf, type View } from '#components/billing/invoices/view.ts'
import { withValues } from '#components/lists/filters/view.ts'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { Picks } from '#components/ui/pick-menu.tsx'
import { DOCUMENT_STATE_NAMES, type DocumentState } from '#lib/billing/invoices/rules.ts'

const STATES = ['issued', 'draft', 'voided'] as const

/** Which documents the list has: the issued ones, which alone can be owed, or what is a draft or voided. */
export function StateFilter({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const states = statesOf(view)
  const isUsual = states.length === 1 && states[0] === 'issued'
  const of = (state: DocumentState) => {
    // The usual one needs no word in the address, and only issued ones have a status.
    if (state === 'issued') return withValues(view, 'state', [])
    return withValues(withValues(withValues(view, 'status', []), 'document', []), 'state', [state])
  }
  const picks = STATES.map((state) => ({
    name: DOCUMENT_STATE_NAMES[state],
    href: hrefOf(of(state)),
    chosen: states.length === 1 && states[0] === state,
    onGo: () => onChange(of(state)),
  }))
  const names = states.map((state) => DOCUMENT_STATE_NAMES[state]).join(', ')
  return (
    <FilterMenu
      label="Documents"
      off={names}
      value={isUsual ? undefined : names}
      onClear={() => onChange(of('issued'))}
    >
      {(close) => <Picks picks={picks} onPicked={close} />}
    </FilterMenu>
  )
}
