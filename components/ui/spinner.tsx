/** Turns while something is awaited; the text beside it says what. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-3.5 shrink-0 animate-spin rounded-full border-2 border-current/25 border-t-current"
    />
  )
}
