import { ChevronDown } from 'lucide-react'
import { withValues } from '#components/filters/view.ts'
import { FILTER_MENU } from '#components/ui/filter-button.ts'
import { PickMenu } from '#components/ui/pick-menu.tsx'
import { DOCUMENT_STATE_NAMES, type DocumentState } from '#lib/invoices/rules.ts'
import { hrefOf, statesOf, type View } from './view.ts'

const STATES = ['issued', 'draft', 'voided'] as const

/** Which documents the list has: the issued ones, which alone can be owed, or what is a draft or voided. */
export function StateFilter({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const states = statesOf(view)
  const of = (state: DocumentState) => {
    // The usual one needs no word in the address, and only issued ones have a status.
    if (state === 'issued') return withValues(view, 'state', [])
    return withValues(withValues(view, 'status', []), 'state', [state])
  }
  const picks = STATES.map((state) => ({
    name: DOCUMENT_STATE_NAMES[state],
    href: hrefOf(of(state)),
    chosen: states.length === 1 && states[0] === state,
    onGo: () => onChange(of(state)),
  }))
  const several = states.map((state) => DOCUMENT_STATE_NAMES[state]).join(', ')
  const now = { name: several, href: hrefOf(view), chosen: true, onGo: () => onChange(view) }
  return (
    <PickMenu
      label="Documents"
      rootClassName={FILTER_MENU}
      after={<ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />}
      picks={states.length === 1 ? picks : [...picks, now]}
    />
  )
}
