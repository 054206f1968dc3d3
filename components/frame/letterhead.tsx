import { PrintedAt } from './printed-at.tsx'

/** What a printed page says that on screen the frame says: whose it is, and when it was printed. Not on screen. */
export function Letterhead({
  customer,
  lines,
  now,
}: {
  customer: string
  /** Below the customer's name: billing profiles, or an address. */
  lines: readonly string[]
  now: number
}) {
  return (
    <div className="mb-6 hidden items-start justify-between gap-8 border-b border-line pb-3 text-sm print:flex">
      <div className="min-w-0 wrap-anywhere">
        <p className="text-lg font-semibold">{customer}</p>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line of an address has no name but its place
          <p key={index}>{line}</p>
        ))}
      </div>
      <p className="shrink-0 text-right text-xs">
        <PrintedAt now={now} />
      </p>
    </div>
  )
}

/** Billing profiles by name, in one line. */
export function profilesLine(profiles: readonly { name: string }[]): string {
  const names = profiles.map(({ name }) => name).join(', ')
  return `${profiles.length === 1 ? 'Billing profile' : 'Billing profiles'}: ${names}`
}
