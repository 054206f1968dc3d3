import Link from 'next/link'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { Day } from '#components/platform/values/times.tsx'
import { Card } from '#components/ui/card.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'
import { staleClass } from '#components/ui/stale-class.ts'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
  TIGHT_IN_PRINT,
} from '#components/ui/table.tsx'
import type { Renewal } from '#lib/costs/renewals/contract.ts'
import { costText, countText, licensesText, nextCostText } from '#lib/costs/renewals/format.ts'
import { daysBetween, daysText } from '#lib/platform/values/days.ts'

/** Number of days before the last one from which a row is marked. */
const URGENT_DAYS = 14

type RenewalTableProps = {
  renewals: readonly Renewal[]
  /** Whether the member may see license prices. */
  hasPrices: boolean
  /** Midnight in UTC, in epoch milliseconds. */
  today: number
  pending: boolean
}

/** Plans whose commitment ends, the earliest first. Each row links to its asset. */
export function RenewalTable({ renewals, hasPrices, today, pending }: RenewalTableProps) {
  return (
    <Card className={`${staleClass(pending)} ${TIGHT_IN_PRINT}`}>
      <Table label="Renewals" pending={pending}>
        <TableHeader>
          <TableHeaderCell className="not-print:xl:w-[21%]">Asset</TableHeaderCell>
          <TableHeaderCell className="not-print:md:max-xl:hidden">Type</TableHeaderCell>
          <TableHeaderCell>Commitment ends</TableHeaderCell>
          <TableHeaderCell>Decide by</TableHeaderCell>
          <TableHeaderCell right>Licenses</TableHeaderCell>
          {hasPrices ? <TableHeaderCell right>At the last price</TableHeaderCell> : null}
        </TableHeader>
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
}: Pick<RenewalTableProps, 'hasPrices' | 'today'> & { renewal: Renewal }) {
  const { asset, domain, time, idle } = renewal
  return (
    <Row className="relative hover:bg-sunken/50">
      <RowHeaderCell className="wrap-anywhere md:min-w-32">
        <Link
          href={`/assets/${encodeURIComponent(asset.id)}`}
          prefetch={false}
          className="rounded-sm font-[550] underline-offset-2 after:absolute after:inset-0 hover:underline"
        >
          <span className="not-print:md:line-clamp-2" title={escapeInvisible(asset.name)}>
            {escapeInvisible(asset.name)}
          </span>
          <LinkSpinner />
        </Link>
        <span className="block text-xs text-ink-3">{escapeInvisible(domain)}</span>
        {/* Medium widths have no room for a separate column. */}
        <span className="hidden text-xs text-ink-2 not-print:md:max-xl:block">
          <PlatformIcon slug={asset.type} />
        </span>
      </RowHeaderCell>
      <Cell className="not-print:whitespace-nowrap max-md:text-sm max-md:text-ink-2 not-print:md:max-xl:hidden">
        <PlatformIcon slug={asset.type} />
      </Cell>
      <Cell placement="across" className="max-md:order-1 max-md:text-sm">
        <span className="text-ink-3 md:hidden">Until </span>
        <Day at={time} />
        <span
          title={renewal.happens}
          className="text-xs text-ink-3 max-md:ml-1.5 md:block not-print:xl:max-w-52 not-print:xl:truncate"
        >
          {escapeInvisible(renewal.happens ?? 'Next term unknown')}
        </span>
      </Cell>
      <Cell placement="across" className="max-md:order-2 max-md:text-sm">
        <span className="text-ink-3 md:hidden">Decide by </span>
        <DecideBy at={renewal.decideBy} today={today} />
      </Cell>
      <Cell placement="right-1" right className="tabular-nums">
        <span className="xl:whitespace-nowrap print:whitespace-nowrap">{licensesText(renewal)}</span>
        <span className="block text-xs text-ink-3 xl:whitespace-nowrap print:whitespace-nowrap">
          {idle === 0 ? 'All assigned' : `${countText(idle)} unassigned`}
        </span>
      </Cell>
      {hasPrices ? <CostCell renewal={renewal} /> : null}
    </Row>
  )
}

/** Cost of the next term at the last price, and its share of unassigned licenses. */
function CostCell({ renewal }: { renewal: Renewal }) {
  const { cost, idleCost, outcome, nextTotal } = renewal
  const isOther = outcome === 'ends' || outcome === 'extended-term' || nextTotal !== undefined
  const next = isOther ? nextCostText(renewal) : undefined
  return (
    <Cell placement="across" right className="tabular-nums max-md:order-3 max-md:text-left max-md:text-sm">
      {cost ? (
        <span className="xl:whitespace-nowrap print:whitespace-nowrap">{costText(cost)}</span>
      ) : (
        <span className="text-xs text-ink-3">No known price</span>
      )}
      {next || idleCost ? (
        <span className="text-xs text-ink-3 max-md:ml-1.5 md:block">
          {next ? <span className="md:block">{next}</span> : null}
          {next && idleCost ? <span className="md:hidden"> · </span> : null}
          {idleCost ? (
            <span className="md:block not-print:xl:whitespace-nowrap">
              <span className="whitespace-nowrap">{costText(idleCost)}</span> unassigned
            </span>
          ) : null}
        </span>
      ) : null}
    </Cell>
  )
}

/** Last day to decide, and the days until then. */
function DecideBy({ at, today }: { at: number; today: number }) {
  const days = daysBetween(today, at)
  const away = days < 0 ? 'Past' : days === 0 ? 'Today' : `In ${daysText(days)}`
  return (
    <>
      <Day at={at} />
      <span
        className={`text-xs max-md:ml-1.5 md:block ${days >= 0 && days <= URGENT_DAYS ? 'text-warn' : 'text-ink-3'}`}
      >
        {away}
      </span>
    </>
  )
}
