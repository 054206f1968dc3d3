import Link from 'next/link'
import { PlatformMark } from '#components/platform/values/platform-mark.tsx'
import { Day } from '#components/platform/values/times.tsx'
import { Card } from '#components/ui/card.tsx'
import { LinkHint } from '#components/ui/link-hint.tsx'
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import { visible } from '#components/ui/visible.ts'
import type { Renewal } from '#lib/costs/renewals/contract.ts'
import { costText, countText, licensesText } from '#lib/costs/renewals/words.ts'
import { daysBetween, daysText } from '#lib/platform/values/days.ts'

/** So many days before the last one, it is marked. */
const SOON = 14

type Given = {
  renewals: readonly Renewal[]
  /** Whether what licenses cost is told to who looks. */
  hasPrices: boolean
  /** Midnight of UTC, in epoch milliseconds. */
  today: number
  busy: boolean
}

/** Plans whose commitment ends, the next one first. Each row leads to its asset. */
export function RenewalTable({ renewals, hasPrices, today, busy }: Given) {
  return (
    <Card
      className={`max-xl:[&_td]:px-2 max-xl:[&_th]:px-2 max-md:[&_td]:px-0 max-md:[&_th]:px-0 ${busy ? 'opacity-60 transition-opacity delay-150 duration-150' : ''}`}
    >
      <Table label="Renewals" busy={busy}>
        <TableHead>
          <HeadCell>Asset</HeadCell>
          <HeadCell className="md:max-xl:hidden">Type</HeadCell>
          <HeadCell>Commitment ends</HeadCell>
          <HeadCell>Decide by</HeadCell>
          <HeadCell right>Licenses</HeadCell>
          {hasPrices ? <HeadCell right>At the last price</HeadCell> : null}
        </TableHead>
        <TableBody>
          {renewals.map((renewal) => (
            <RenewalRow key={renewal.asset.id} renewal={renewal} hasPrices={hasPrices} today={today} />
          ))}
        </TableBody>
      </Table>
    </Card>
  )
}

function RenewalRow({
  renewal,
  hasPrices,
  today,
}: Pick<Given, 'hasPrices' | 'today'> & { renewal: Renewal }) {
  const { asset, domain, time, idle, cost, idleCost } = renewal
  return (
    <Row className="relative hover:bg-sunken/50">
      <RowHead className="wrap-anywhere md:min-w-32">
        <Link
          href={`/assets/${encodeURIComponent(asset.id)}`}
          prefetch={false}
          className="rounded-sm font-[550] underline-offset-2 after:absolute after:inset-0 hover:underline"
        >
          {visible(asset.name)}
          <LinkHint />
        </Link>
        <span className="block text-xs text-ink-3">{visible(domain)}</span>
        {/* In between there is no room for a column of its own. */}
        <span className="hidden text-xs text-ink-2 md:max-xl:block">
          <PlatformMark slug={asset.type} />
        </span>
      </RowHead>
      <Cell className="whitespace-nowrap max-md:text-sm max-md:text-ink-2 md:max-xl:hidden">
        <PlatformMark slug={asset.type} />
      </Cell>
      <Cell place="across" className="max-md:order-1 max-md:text-sm">
        <span className="text-ink-3 md:hidden">Until </span>
        <Day at={time} />
        <span className="text-xs text-ink-3 max-md:ml-1.5 md:block">
          {visible(renewal.happens ?? 'What follows is not known')}
        </span>
      </Cell>
      <Cell place="across" className="max-md:order-2 max-md:text-sm">
        <span className="text-ink-3 md:hidden">Decide by </span>
        <DecideBy at={renewal.decideBy} today={today} />
      </Cell>
      <Cell place="right-1" right className="tabular-nums">
        <span className="xl:whitespace-nowrap print:whitespace-nowrap">{licensesText(renewal)}</span>
        <span className="block text-xs text-ink-3">
          {idle === 0 ? 'None idle' : `${countText(idle)} idle`}
        </span>
      </Cell>
      {hasPrices ? (
        <Cell place="across" right className="tabular-nums max-md:order-3 max-md:text-left max-md:text-sm">
          {cost ? (
            <span className="xl:whitespace-nowrap print:whitespace-nowrap">{costText(cost)}</span>
          ) : (
            <span className="text-xs text-ink-3">No known price</span>
          )}
          {idleCost ? (
            <span className="text-xs text-ink-3 max-md:ml-1.5 md:block xl:whitespace-nowrap print:whitespace-nowrap">
              {costText(idleCost)} idle
            </span>
          ) : null}
        </Cell>
      ) : null}
    </Row>
  )
}

/** The last day, and how far away that is. */
function DecideBy({ at, today }: { at: number; today: number }) {
  const days = daysBetween(today, at)
  const away = days < 0 ? 'Past' : days === 0 ? 'Today' : `In ${daysText(days)}`
  return (
    <>
      <Day at={at} />
      <span
        className={`text-xs max-md:ml-1.5 md:block ${days >= 0 && days <= SOON ? 'text-warn' : 'text-ink-3'}`}
      >
        {away}
      </span>
    </>
  )
}
