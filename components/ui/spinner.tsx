/** Spinner; the text next to it names the pending action. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-3.5 shrink-0 animate-spin rounded-full border-2 border-current/25 border-t-current"
    />
  )
}
