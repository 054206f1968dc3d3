'use client'

import { memo } from 'react'
import { differenceText } from '#components/licenses/assets/labels.ts'
import { ChangeMeaning } from '#components/licenses/license-reviews/change-meaning.tsx'
import { Badge, type BadgeTone } from '#components/ui/badge.tsx'
import { Card } from '#components/ui/card.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { RequestId } from '#components/ui/request-id.tsx'
import { Spinner } from '#components/ui/spinner.tsx'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
} from '#components/ui/table.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { LicenseList, ListRow, RowState } from './list.ts'
import { stateText } from './messages.ts'

/** Rows of a list: asset, change of the total, and whether it is allowed, or its result. */
export function ListTable({ list, prices }: { list: LicenseList; prices: Record<string, LastPrice> }) {
  return (
    <Card className="mt-4">
      <Table label="Rows of the list" fixed>
        <TableHeader>
          <TableHeaderCell className="w-[30%]">Asset</TableHeaderCell>
          <TableHeaderCell right className="w-32">
            Now → total
          </TableHeaderCell>
          <TableHeaderCell right className="w-26">
            Difference
          </TableHeaderCell>
          <TableHeaderCell>Result</TableHeaderCell>
        </TableHeader>
        <TableBody>
          {list.rows.map((row) => (
            <ListRowView
              key={row.assetId}
              row={row}
              confirmed={list.confirmed}
              lastPrice={prices[row.assetId]}
            />
          ))}
        </TableBody>
      </Table>
    </Card>
  )
}

// Memoized, so that one answer does not render 250 rows.
const ListRowView = memo(function ListRowView({
  row,
  confirmed,
  lastPrice,
}: {
  row: ListRow
  confirmed: boolean
  lastPrice: LastPrice | undefined
}) {
  const { assetId, name, quantityState, quantity } = row
  const change = quantityState ? quantity - quantityState.purchased : 0
  return (
    <Row>
      <RowHeaderCell className="min-w-0 max-md:row-span-2">
        {name ? <span className="block font-[550] wrap-anywhere">{escapeInvisible(name)}</span> : null}
        <span className="block font-mono text-xs wrap-anywhere text-ink-3">
          {assetId}
          <span className="font-sans"> · line {row.line}</span>
        </span>
      </RowHeaderCell>
      <Cell placement="right-1" right number>
        {quantityState ? quantityState.purchased.toLocaleString('en') : '–'} → {quantity.toLocaleString('en')}
      </Cell>
      <Cell placement="right-2" right number className="text-sm text-ink-3 max-md:self-start">
        {change === 0 ? '–' : differenceText(change)}
      </Cell>
      <Cell placement="across" className="max-md:pt-1">
        <Result row={row} confirmed={confirmed} lastPrice={lastPrice} />
      </Cell>
    </Row>
  )
})

const TONES: Record<RowState, BadgeTone> = {
  waiting: 'mute',
  checking: 'mute',
  allowed: 'ok',
  same: 'mute',
  refused: 'danger',
  unchecked: 'warn',
  sending: 'mute',
  done: 'ok',
  conflict: 'warn',
  unknown: 'warn',
  lost: 'warn',
  failed: 'danger',
}

function Result({
  row,
  confirmed,
  lastPrice,
}: {
  row: ListRow
  confirmed: boolean
  lastPrice: LastPrice | undefined
}) {
  const { state, quantityState, item, quantity, reason, requestId } = row
  const text = stateText(row, confirmed)
  if (state === 'sending' || state === 'checking') {
    return (
      <span className="inline-flex items-center gap-2 text-sm text-ink-2">
        <Spinner />
        {text}
      </span>
    )
  }
  const isToConfirm = state === 'allowed' && !confirmed
  const subscription = isToConfirm ? item?.properties?.subscription : undefined
  const isFinal = isToConfirm && quantityState?.isCommitmentPlan
  const tone = isFinal ? 'warn' : state === 'allowed' && confirmed ? 'mute' : TONES[state]
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      <span className="mt-1 block text-xs wrap-anywhere text-ink-2 empty:hidden">
        {reason}
        {item && subscription ? (
          <ChangeMeaning item={item} subscription={subscription} quantity={quantity} lastPrice={lastPrice} />
        ) : null}
      </span>
      {requestId ? (
        <span className="block">
          <RequestId id={requestId} />
        </span>
      ) : null}
    </>
  )
}
