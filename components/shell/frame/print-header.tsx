import { PrintedAt } from './printed-at.tsx'

/** Replaces the frame on paper: the customer, and the time of printing. Hidden on screen. */
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

/** Further header lines of a printed page: billing profiles, or an address. Hidden on screen. */
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

/** Returns the names of billing profiles in one line. */
export function profilesLine(profiles: readonly { name: string }[]): string {
  const names = profiles.map(({ name }) => name).join(', ')
  return `${profiles.length === 1 ? 'Billing profile' : 'Billing profiles'}: ${names}`
}
