import { LockKeyhole } from 'lucide-react'
import { Day } from '#components/platform/values/times.tsx'

/** Banner on every screen of a closed customer: the data is read-only, and until when it can be read. */
export function ClosedNote({ customer, until }: { customer: string; until: Date }) {
  return (
    <aside
      aria-label="The customer is closed"
      className="mb-5 flex gap-2.5 rounded-card border border-warn/30 bg-warn-tint px-4 py-3 text-sm print:hidden"
    >
      <LockKeyhole aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
      <p>
        <span className="font-semibold">{customer} is closed.</span>{' '}
        <span className="text-ink-2">
          Everything can be read and exported until <Day at={until.getTime()} />. Nothing can be changed.
        </span>
      </p>
    </aside>
  )
}
