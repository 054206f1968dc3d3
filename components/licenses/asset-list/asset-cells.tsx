import Link from 'next/link'
import { Fragment, type ReactNode } from 'react'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { Day } from '#components/platform/values/times.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'
import { Meter } from '#components/ui/meter.tsx'
import { Cell, RowHeaderCell } from '#components/ui/table.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { usageOf } from '#lib/licenses/assets/rules.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { type AssetColumn, usualColumns } from '#lib/workspace/list-columns/rules.ts'
import { AssetStatus } from '../assets/asset-status.tsx'
import type { IdleNote } from '../assets/idle.ts'
import { planEnd, planName, type Subscription } from '../assets/labels.ts'
import { assetHref } from '../assets/one-asset.ts'

/**
 * Column of the types where there is no room for it: of no width, not hidden, because a review spans all columns. The
 * type is below the name then.
 */
export const TYPE_COLUMN =
  'not-print:md:max-xl:w-0 not-print:md:max-xl:overflow-hidden not-print:md:max-xl:px-0 not-print:md:max-xl:whitespace-nowrap'

/**
 * Cells of an asset, in the order of `columns`. `search` is the list's query string, which the link to the asset keeps;
 * `children` are rendered below the name.
 */
export function AssetCells({
  item,
  search,
  columns,
  control,
  idle,
  children,
}: {
  item: AssetListItem
  search: string
  columns: readonly AssetColumn[]
  /** Cell with the license control. */
  control: ReactNode
  idle?: IdleNote | undefined
  children?: ReactNode
}) {
  const subscription = item.properties?.subscription
  const end = subscription ? planEnd(subscription) : undefined
  const hasEndColumn = columns.includes('renewal')
  const hasTypeColumn = columns.includes('type') && columns.length <= usualColumns('assets').length
  const cells: Record<AssetColumn, ReactNode> = {
    name: (
      <RowHeaderCell className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 font-[550]">
          <Link
            href={assetHref(item.id, search)}
            prefetch={false}
            className="min-w-0 rounded-sm underline-offset-2 after:absolute after:inset-0 hover:underline"
          >
            <span className="not-print:md:line-clamp-2" title={escapeInvisible(item.assetName)}>
              {escapeInvisible(item.assetName)}
            </span>
            <LinkSpinner />
          </Link>
          {subscription && subscription.Status !== 'ACTIVE' ? (
            <AssetStatus status={subscription.Status} />
          ) : null}
        </span>
        <span className="block text-xs text-ink-3">
          {breakable(item.properties?.customerDomain ?? '')}
          {hasTypeColumn ? (
            <span aria-hidden="true" className="hidden not-print:md:max-xl:inline">
              {` · ${platformName(item.type)}`}
            </span>
          ) : null}
        </span>
        {children}
      </RowHeaderCell>
    ),
    type: (
      <Cell className={`max-md:text-sm max-md:text-ink-2 ${hasTypeColumn ? TYPE_COLUMN : ''}`}>
        <PlatformIcon slug={item.type} />
      </Cell>
    ),
    plan: (
      <Cell className="max-md:text-sm max-md:text-ink-2">
        {subscription ? planName(subscription) : 'Usage-based'}
        {end && !hasEndColumn ? <span className="block text-xs text-ink-3">{unbroken(end)}</span> : null}
      </Cell>
    ),
    renewal: (
      <Cell className="max-md:text-sm max-md:text-ink-2">
        {end ? unbroken(end) : <span className="text-xs text-ink-3 max-md:hidden">No date</span>}
      </Cell>
    ),
    created: (
      <Cell className="whitespace-nowrap max-md:text-sm max-md:text-ink-2">
        <span className="md:hidden">Created </span>
        <Day at={item.createTime} />
      </Cell>
    ),
    usage: (
      <Cell placement={subscription ? 'across' : 'left'}>
        {subscription ? (
          <>
            <Usage seats={subscription.Seats} />
            {idle ? (
              <span
                className="relative z-1 mt-0.5 block w-fit text-xs leading-tight text-ink-3 tabular-nums"
                title={idle.counted}
              >
                {idle.short}
              </span>
            ) : null}
          </>
        ) : (
          <span className="text-xs text-ink-3">No licenses</span>
        )}
      </Cell>
    ),
    licenses: control,
  }
  return columns.map((column) => <Fragment key={column}>{cells[column]}</Fragment>)
}

/** Returns the text with non-breaking spaces in its dates, such as 25 Apr 2027. */
function unbroken(text: string): string {
  return text.replace(/(\d+) ([A-Z][a-z]{2}) (\d{4})/, '$1\u00a0$2\u00a0$3')
}

/** Renders a domain that may break after its dots. */
function breakable(domain: string) {
  return domain.split(/(?<=\.)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places
    <Fragment key={index}>
      {index > 0 ? <wbr /> : null}
      {part}
    </Fragment>
  ))
}

/** Share of the purchased licenses that is assigned to users. */
function Usage({ seats }: { seats: Subscription['Seats'] }) {
  const { LicensedNumberOfSeats: assigned, NumberOfSeats: purchased } = seats
  return (
    <>
      <span className="mb-0.5 block text-sm leading-none tabular-nums">
        {`${assigned.toLocaleString('en')} `}
        <span className="text-xs text-ink-3">
          {`of ${purchased.toLocaleString('en')}`}
          <span className="not-print:md:max-xl:sr-only"> assigned</span>
        </span>
      </span>
      <Meter value={assigned} max={purchased} variant={usageOf({ purchased, assigned })} />
    </>
  )
}
