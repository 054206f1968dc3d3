import { PrintedAt } from './printed-at.tsx'

/** What a printed page says that on screen the frame says: whose it is, and when it was printed. Not on screen. */
export function PrintHeader({ customer, now }: { customer: string; now: number }) {
  return (
    <div className="mb-3 hidden items-baseline justify-between gap-8 border-b border-line pb-2 print:flex">
      <p className="min-w-0 text-lg font-semibold wrap-anywhere">{customer}</p>
      <p className="shrink-0 text-right text-xs">
        <PrintedAt now={now} />
      </p>
    </div>
  )
}

/** What a printed page says of its own below that: billing profiles, or an address. Not on screen. */
export function LetterLines({ lines }: { lines: readonly string[] }) {
  return (
    <div className="mb-5 hidden text-sm wrap-anywhere print:block">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of an address has no name but its place
        <p key={index}>{line}</p>
      ))}
    </div>
  )
}

/** Billing profiles by name, in one line. */
export function profilesLine(profiles: readonly { name: string }[]): string {
  const names = profiles.map(({ name }) => name).join(', ')
  return `${profiles.length === 1 ? 'Billing profile' : 'Billing profiles'}: ${names}`
}
