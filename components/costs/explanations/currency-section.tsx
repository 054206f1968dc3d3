import Link from 'next/link'
import { PlatformMark } from '#components/platform/values/platform-mark.tsx'
import { Card } from '#components/ui/card.tsx'
import { Fact } from '#components/ui/fact.tsx'
import { Fold } from '#components/ui/fold.tsx'
import { CauseTable, type ShownCause } from './cause-table.tsx'

/** What the invoices of a month come to, and the list of them. */
export type ShownMonth = { name: string; total: string; count: string; href: string | undefined }
/** All causes of a kind on a platform together. */
export type ShownGroup = { platform: string; name: string; note: string | undefined; effect: string }
/** One currency's explanation as text. */
export type ShownCurrency = {
  currency: string
  from: ShownMonth
  to: ShownMonth
  effect: string
  share: string | undefined
  /** At a glance; none where the causes are few. */
  groups: readonly ShownGroup[]
  causes: readonly ShownCause[]
  smaller: { name: string; effect: string; causes: readonly ShownCause[] } | undefined
  unchanged: string | undefined
  /** Whether the causes are with tax. */
  tax: string | undefined
}

/** Why a month is dearer in one currency: the difference, its causes by platform, and each product. */
export function CurrencySection(shown: ShownCurrency) {
  const { currency, from, to, effect, share, groups, causes, smaller, unchanged, tax } = shown
  const sums = [
    ...(smaller ? [{ label: `${smaller.name}, below`, effect: smaller.effect }] : []),
    { label: `Difference, ${currency}`, effect },
  ]
  return (
    <section aria-label={currency} className="mb-6">
      <h2 className="mb-1.5 font-semibold">{currency}</h2>
      <Card className="mb-3 overflow-hidden">
        <dl className="-mt-px -ml-px grid grid-cols-1 md:grid-cols-3">
          <MonthFact {...from} currency={currency} />
          <MonthFact {...to} currency={currency} />
          <Fact label="Difference">
            <span className="text-lg font-[650] tracking-tight">
              {effect} {currency}
            </span>
            {share ? <span className="ml-2 text-sm text-ink-3">{share}</span> : null}
          </Fact>
        </dl>
        {groups.length > 0 ? <AtAGlance currency={currency} groups={groups} /> : null}
      </Card>
      {causes.length > 0 ? (
        <Card className="overflow-hidden">
          <CauseTable label={`Causes in ${currency}`} causes={causes} sums={sums} />
          {smaller ? (
            <Fold name={smaller.name}>
              <CauseTable label={smaller.name} causes={smaller.causes} />
            </Fold>
          ) : null}
        </Card>
      ) : null}
      <p className="mt-2 text-sm text-ink-3">
        {[causes.length > 0 ? '' : 'No product costs more or less.', unchanged, tax]
          .filter(Boolean)
          .join(' ')}
      </p>
    </section>
  )
}

function MonthFact({ name, total, count, href, currency }: ShownMonth & { currency: string }) {
  return (
    <Fact label={name}>
      <span className="whitespace-nowrap">
        {total} {currency}
      </span>
      <div className="text-sm font-normal text-ink-3">
        {href === undefined ? (
          count
        ) : (
          <Link
            href={href}
            prefetch={false}
            className="rounded-sm underline decoration-line-2 underline-offset-2 hover:decoration-current"
          >
            {count}
            <span className="sr-only">
              {' '}
              in {currency}, {name}
            </span>
          </Link>
        )}
      </div>
    </Fact>
  )
}

function AtAGlance({ currency, groups }: { currency: string; groups: readonly ShownGroup[] }) {
  return (
    <table aria-label={`${currency} at a glance`} className="w-full border-t border-line">
      <thead className="sr-only">
        <tr>
          <th scope="col">Platform and cause</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ platform, name, note, effect }) => (
          <tr
            key={`${platform} ${name}`}
            className="[&>*]:px-4 [&>*]:py-1.5 max-md:[&>*]:px-3.5 first:[&>*]:pt-2.5 last:[&>*]:pb-2.5"
          >
            <th scope="row" className="text-left font-normal">
              <span className="min-w-40 text-ink-2 max-md:block max-md:text-sm md:inline-block">
                <PlatformMark slug={platform} />
              </span>{' '}
              {name}
              {note ? <span className="ml-2 text-sm text-ink-3">{note}</span> : null}
            </th>
            <td className="text-right align-top font-[550] whitespace-nowrap tabular-nums">{effect}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
