'use client'

// A client component, though it has no state: the page then carries the items as data next to their HTML, and not the
// elements of 250 rows with their classes once more.

import Link from 'next/link'
import { invoiceHref } from '#components/billing/invoices/view.ts'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { Day } from '#components/platform/values/times.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Card } from '#components/ui/card.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
  TIGHT_IN_PRINT,
  TIGHTEST_IN_PRINT,
} from '#components/ui/table.tsx'
import { isLong } from './view.ts'

/** Open item with its amounts as text. */
export type ItemView = {
  id: string
  number: string
  /** Issuer, where the number alone does not identify the invoice. */
  issuer: string | undefined
  invoiceDate: number
  /** Absent of a credit note. */
  dueDate: number | undefined
  platform: string
  /** Days past due, as in `21 days`; undefined for an invoice that is not past due. */
  lateness: string | undefined
  isCredit: boolean
  total: string
  balance: string
}
/** Items of one billing profile in one currency, the longest due first. */
export type AccountView = { profile: string; currency: string; items: ItemView[] }

export function OpenItems({ profile, currency, items }: AccountView) {
  const isTight = items.some(({ total, balance }) => isLong(total) || isLong(balance))
  return (
    <section aria-label={`${profile}, ${currency}`} className="mb-4">
      <h2 className="mb-1.5 flex flex-wrap items-baseline gap-x-2 font-semibold wrap-anywhere">
        {escapeInvisible(profile)}{' '}
        <span className="text-xs font-normal text-ink-3">{currency} · oldest first</span>
      </h2>
      <Card
        className={`overflow-x-auto max-md:overflow-visible ${isTight ? TIGHTEST_IN_PRINT : `xl:[&_table]:table-fixed ${TIGHT_IN_PRINT}`}`}
      >
        <Table label={`Open items of ${profile} in ${currency}`}>
          <TableHeader>
            <TableHeaderCell className="xl:w-[18%]">Invoice</TableHeaderCell>
            <TableHeaderCell>Date</TableHeaderCell>
            <TableHeaderCell className={`xl:w-[18%] ${WIDE_ONLY}`}>Platform</TableHeaderCell>
            <TableHeaderCell>Due</TableHeaderCell>
            <TableHeaderCell>Past due</TableHeaderCell>
            <TableHeaderCell right>Total</TableHeaderCell>
            <TableHeaderCell right>Balance, {currency}</TableHeaderCell>
          </TableHeader>
          <TableBody>
            {items.map((item) => (
              <Item key={item.id} item={item} />
            ))}
          </TableBody>
        </Table>
      </Card>
    </section>
  )
}

/** Column without room at medium widths. Paper has it, in smaller type if amounts are long. */
const WIDE_ONLY = 'not-print:md:max-xl:hidden'

function Item({
  item: { id, number, issuer, invoiceDate, dueDate, platform, lateness, isCredit, total, balance },
}: {
  item: ItemView
}) {
  return (
    <Row className="relative hover:bg-sunken/50">
      <RowHeaderCell className="wrap-anywhere md:min-w-28">
        <Link
          href={invoiceHref(id, '')}
          prefetch={false}
          className="rounded-sm font-[550] underline-offset-2 after:absolute after:inset-0 hover:underline"
        >
          {escapeInvisible(number)}
          <LinkSpinner />
        </Link>
        {issuer ? <span className="block text-xs text-ink-2">{escapeInvisible(issuer)}</span> : null}
        {/* Medium widths have no room for a separate column. */}
        <span className="hidden text-xs whitespace-nowrap text-ink-2 md:max-xl:block print:hidden">
          <PlatformIcon slug={platform} />
        </span>
      </RowHeaderCell>
      <Cell className="max-md:text-sm max-md:text-ink-2">
        <Day at={invoiceDate} />
      </Cell>
      <Cell className={`whitespace-nowrap max-md:text-sm max-md:text-ink-2 ${WIDE_ONLY}`}>
        <PlatformIcon slug={platform} />
      </Cell>
      <Cell className="max-md:text-sm max-md:text-ink-2">
        {dueDate === undefined ? null : (
          <>
            <span className="md:hidden">Due </span>
            <Day at={dueDate} />
          </>
        )}
      </Cell>
      <Cell placement="right-3" className="whitespace-nowrap">
        {isCredit ? <Badge tone="ok">Credit</Badge> : null}
        {lateness ? (
          <span className="text-danger tabular-nums">
            {lateness}
            <span className="md:hidden"> late</span>
          </span>
        ) : null}
        {!isCredit && !lateness ? <span className="text-sm text-ink-3">Not due yet</span> : null}
      </Cell>
      <Cell placement="right-2" right number className="text-ink-2 max-md:text-sm">
        <span className="md:hidden">Total </span>
        {total}
      </Cell>
      <Cell placement="right-1" right number className="font-semibold">
        {balance}
      </Cell>
    </Row>
  )
}
