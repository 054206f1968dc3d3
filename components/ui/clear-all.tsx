/** Removes all filters of a list. */
export function ClearAll({ onClear }: { onClear: () => void }) {
  return (
    <button
      type="button"
      onClick={onClear}
      className="rounded-sm px-1.5 py-1 text-sm font-medium text-ink-2 underline-offset-2 hover:text-ink hover:underline print:hidden"
    >
      Clear all
    </button>
  )
}
