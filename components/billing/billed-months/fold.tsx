import { ChevronRight } from 'lucide-react'

/** The plot's title, which opens and folds it. */
export function Fold({ id, isOpen, onToggle }: { id: string; isOpen: boolean; onToggle: () => void }) {
  return (
    <h2>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={onToggle}
        className="-ml-1.5 inline-flex items-center gap-1.5 rounded-sm px-1 py-1.5 font-semibold hover:underline"
      >
        <ChevronRight
          aria-hidden="true"
          className={`size-4 text-ink-3 transition-transform duration-120 motion-reduce:transition-none ${isOpen ? 'rotate-90' : ''}`}
        />
        Billed per month
      </button>
      <span className="hidden print:inline">Billed per month</span>
    </h2>
  )
}
