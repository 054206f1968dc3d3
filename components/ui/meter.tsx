const FILLS = { used: 'fill-used', idle: 'fill-idle', full: 'fill-full' } as const

/** Bar that shows a share of a whole. Hidden from screen readers, because the text above has the same numbers. */
export function Meter({ value, max, variant }: { value: number; max: number; variant: keyof typeof FILLS }) {
  const share = max > 0 ? Math.min(100, (value / max) * 100) : 0
  return (
    <svg
      aria-hidden="true"
      className="block h-1.5 w-full overflow-hidden rounded-full"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
    >
      <rect className="fill-line" width="100" height="6" />
      <rect className={FILLS[variant]} width={share} height="6" />
    </svg>
  )
}
