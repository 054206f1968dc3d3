/** Logo and name of the product. */
export function Brand() {
  return (
    <span className="flex items-center gap-2.5 font-[650] tracking-[-0.01em]">
      <span
        aria-hidden="true"
        className="grid size-5.5 place-items-center rounded-md bg-accent text-xs font-bold text-accent-ink forced-colors:border"
      >
        L
      </span>
      Licenses &amp; Invoices
    </span>
  )
}
