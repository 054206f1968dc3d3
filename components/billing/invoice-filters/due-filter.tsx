import type { View } from '#components/billing/invoices/view.ts'
import { changed, withValues } from '#components/lists/filters/view.ts'
import { RemovableChip } from '#components/ui/chip.tsx'
import { dueTexts } from './told.ts'

/** When it is due, which figures and other screens ask for: it has no control of its own, and can be taken off. */
export function DueFilter({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const texts = dueTexts(view)
  if (texts.length === 0) return null
  const without = changed(withValues(view, 'dueDate', []), { minDueDate: undefined, maxDueDate: undefined })
  const text = texts.join('; ')
  return (
    <RemovableChip name={text} onRemove={() => onChange(without)}>
      <span className="max-w-[calc(100vw-5.5rem)] truncate tabular-nums">{text}</span>
    </RemovableChip>
  )
}
