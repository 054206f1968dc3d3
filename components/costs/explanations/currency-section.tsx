import Link from 'next/link'
import { DIFFERENCE_TABLE } from '#components/costs/difference-table.ts'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { Card } from '#components/ui/card.tsx'
import { DescriptionItem } from '#components/ui/description-item.tsx'
import { Disclosure } from '#components/ui/disclosure.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'

/** Total of a month's invoices, and the link to their list. */
export type MonthView = { name: string; total: string; count: string; href: string | undefined }
/** Sum of all causes of a kind on a platform. */
export type GroupView = { platform: string; name: string; note: string | undefined; effect: string }
/** Explanation of one currency, as text. */
export type CurrencyView = {
  currency: string
  from: MonthView
  to: MonthView
  effect: string
  share: string | undefined
  /** Causes summed by kind; empty where the causes are few. */
  groups: readonly GroupView[]
  causes: readonly CauseView[]
  smaller: { name: string; effect: string; causes: readonly CauseView[] } | undefined
  unchanged: string | undefined
  /** Note on whether the causes include tax. */
  tax: string | undefined
}

/** Explanation of a month in one currency: the difference, its causes by platform, and each product. */
export function CurrencySection(view: CurrencyView) {
  const { currency, from, to, effect, share, groups, causes, smaller, unchanged, tax } = view
  const sums = [
    ...(smaller ? [{ label: `${smaller.name}, below`, effect: smaller.effect }] : []),
    { label: `Difference, ${currency}`, effect },
  ]
  return (
    <section aria-label={currency} className="mb-6">
      <h2 className="mb-1.5 font-semibold">{currency}</h2>
      <Card className="mb-3 overflow-hidden">
        <dl className="-mt-px -ml-px grid grid-cols-1 md:grid-cols-3">
          <MonthItem {...from} currency={currency} />
          <MonthItem {...to} currency={currency} />
          <DescriptionItem label="Difference">
            <span className="text-lg font-[650] tracking-tight">
              {effect} {currency}
            </span>
            {share ? <span className="ml-2 text-sm text-ink-3">{share}</span> : null}
          </DescriptionItem>
        </dl>
        {groups.length > 0 ? <AtAGlance currency={currency} groups={groups} /> : null}
      </Card>
      {causes.length > 0 ? (
        <Card className="overflow-hidden">
          <CauseTable label={`Causes in ${currency}`} causes={causes} sums={sums} />
          {smaller ? (
            <Disclosure name={smaller.name}>
              <CauseTable label={smaller.name} causes={smaller.causes} />
            </Disclosure>
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

function MonthItem({ name, total, count, href, currency }: MonthView & { currency: string }) {
  return (
    <DescriptionItem label={name}>
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
    </DescriptionItem>
  )
}

function AtAGlance({ currency, groups }: { currency: string; groups: readonly GroupView[] }) {
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
                <PlatformIcon slug={platform} />
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

/** Cause as text. */
export type CauseView = {
  /** Absent where several products are concerned. */
  product: string | undefined
  platform: string
  name: string
  note: string | undefined
  effect: string
}

/** Causes of a difference, with a row of sums if `sums` is set. */
function CauseTable({
  label,
  causes,
  sums = [],
}: {
  label: string
  causes: readonly CauseView[]
  sums?: readonly { label: string; effect: string }[]
}) {
  return (
    <table aria-label={label} className={DIFFERENCE_TABLE}>
      <thead>
        <tr>
          <th scope="col" className="md:w-1/3">
            Product
          </th>
          <th scope="col" className="wide md:w-1/6">
            Platform
          </th>
          <th scope="col" className="wide md:w-1/3">
            Cause
          </th>
          <th scope="col" className="n">
            Difference
          </th>
        </tr>
      </thead>
      <tbody>
        {causes.map((cause, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a cause has no name but its place
          <CauseRow key={index} {...cause} />
        ))}
      </tbody>
      {sums.length > 0 ? (
        <tfoot>
          {sums.map((sum) => (
            <tr key={sum.label}>
              <th scope="row">{sum.label}</th>
              <td className="wide" colSpan={2} />
              <td className="n">{sum.effect}</td>
            </tr>
          ))}
        </tfoot>
      ) : null}
    </table>
  )
}

function CauseRow({ product, platform, name, note, effect }: CauseView) {
  return (
    <tr>
      <th scope="row">
        {product === undefined ? <span className="text-ink-2">All of it</span> : escapeInvisible(product)}
        <span className="small mt-0.5 block text-sm text-ink-2">{escapeInvisible(name)}</span>
        {note ? <small className="small">{note}</small> : null}
        <small className="small mt-0.5">
          <PlatformIcon slug={platform} />
        </small>
      </th>
      <td className="wide text-sm whitespace-nowrap text-ink-2">
        <PlatformIcon slug={platform} />
      </td>
      <td className="wide text-sm text-ink-2">
        {escapeInvisible(name)}
        {note ? <small>{note}</small> : null}
      </td>
      <td className="n font-[550]">{effect}</td>
    </tr>
  )
}
