'use client'

import { Fragment, type ReactNode } from 'react'
import { sortableHeaderProps, sortName } from '#components/licenses/asset-filters/sort.ts'
import { Card } from '#components/ui/card.tsx'
import { useFirstRows } from '#components/ui/first-rows.ts'
import { SortableHeader } from '#components/ui/sortable-header.tsx'
import { staleClass } from '#components/ui/stale-class.ts'
import { Cell, Row, Table, TableBody, TableHeader, TableHeaderCell } from '#components/ui/table.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { AssetSortKey } from '#lib/licenses/assets/rules.ts'
import { listAssets } from '#lib/licenses/client.ts'
import { type AssetColumn, usualColumns } from '#lib/workspace/list-columns/rules.ts'
import type { IdleNote } from '../assets/idle.ts'
import type { View } from '../assets/view.ts'
import { AssetCells, TYPE_COLUMN } from './asset-cells.tsx'
import { LicenseRow } from './license-row.tsx'

/** Last billed price of a license, and the note on unused ones, each by asset id. */
export type RowCosts = { prices: Record<string, LastPrice>; idle: Record<string, IdleNote> }

/** Number of columns that fit on every screen with columns. */
const DEFAULT_COLUMN_COUNT = usualColumns('assets').length

/**
 * Assets with their license controls, in the order of `view`; the column headers sort. `costs` has the license costs.
 */
export function AssetTable({
  assets,
  view,
  onNavigate,
  pending,
  costs,
  columns,
}: {
  assets: readonly AssetListItem[]
  view: View
  onNavigate: (view: View) => void
  pending: boolean
  costs: RowCosts
  columns: readonly AssetColumn[]
}) {
  const visibleAssets = useFirstRows(assets)
  const search = listAssets.search(view)
  const sortProps = (key: AssetSortKey) => sortableHeaderProps(view, key, onNavigate)
  const isWide = columns.length > DEFAULT_COLUMN_COUNT
  const headers: Record<AssetColumn, ReactNode> = {
    name: <SortableHeader {...sortProps('name')}>Asset</SortableHeader>,
    type: (
      <TableHeaderCell className={isWide ? 'w-36' : `xl:w-37 print:w-[15%] ${TYPE_COLUMN}`}>
        Type
      </TableHeaderCell>
    ),
    plan: columns.includes('renewal') ? (
      <TableHeaderCell className="w-40 print:w-[17%]">Plan</TableHeaderCell>
    ) : (
      <SortableHeader className="w-40 xl:w-52 print:w-[18%]" {...sortProps('renewal')}>
        Plan, renewal
      </SortableHeader>
    ),
    renewal: (
      <SortableHeader className="w-36" {...sortProps('renewal')}>
        Renewal
      </SortableHeader>
    ),
    usage: (
      <SortableHeader className="w-32 xl:w-48 print:w-34" {...sortProps('idle')}>
        Usage
      </SortableHeader>
    ),
    created: (
      <SortableHeader className="w-30" {...sortProps('created')}>
        Created
      </SortableHeader>
    ),
    licenses: (
      <TableHeaderCell right className={isWide ? 'w-42' : 'w-42 xl:w-72 print:w-32'}>
        Licenses
      </TableHeaderCell>
    ),
  }
  return (
    <Card className={staleClass(pending)}>
      {/* Too many columns scroll within the table, not with the page. */}
      <div className={isWide ? 'md:overflow-x-auto md:[&>table]:min-w-270' : ''}>
        <Table label={`Assets, ${sortName(view).toLowerCase()}`} pending={pending} fixed>
          <TableHeader>
            {columns.map((column) => (
              <Fragment key={column}>{headers[column]}</Fragment>
            ))}
          </TableHeader>
          <TableBody>
            {visibleAssets.map((item) => {
              const subscription = item.properties?.subscription
              return subscription ? (
                <LicenseRow
                  key={item.id}
                  item={item}
                  subscription={subscription}
                  search={search}
                  columns={columns}
                  lastPrice={costs.prices[item.id]}
                  idle={costs.idle[item.id]}
                />
              ) : (
                <Row key={item.id} className="relative hover:bg-sunken/50">
                  <AssetCells
                    item={item}
                    search={search}
                    columns={columns}
                    control={
                      <Cell placement="right" right className="text-xs text-ink-3">
                        N/A
                      </Cell>
                    }
                  />
                </Row>
              )
            })}
          </TableBody>
        </Table>
      </div>
    </Card>
  )
}
