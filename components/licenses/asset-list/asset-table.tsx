'use client'

import { Fragment, type ReactNode } from 'react'
import { headOf, orderName } from '#components/licenses/asset-filters/order.ts'
import { Card } from '#components/ui/card.tsx'
import { useFirstRows } from '#components/ui/first-rows.ts'
import { SortHead } from '#components/ui/sort-head.tsx'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import type { Worth } from '#lib/costs/idle-licenses/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { AssetOrderKey } from '#lib/licenses/assets/rules.ts'
import { listAssets } from '#lib/licenses/client.ts'
import { type AssetColumn, usualColumns } from '#lib/workspace/list-columns/rules.ts'
import type { View } from '../assets/view.ts'
import { AssetCells } from './asset-cells.tsx'
import { LicenseRow } from './license-row.tsx'

/** For so many columns there is room on each screen that has columns. */
const USUAL = usualColumns('assets').length

/**
 * Assets with their license controls, as `view` orders them; a head asks for another one. `worth` says what they cost.
 */
export function AssetTable({
  assets,
  view,
  onGo,
  busy,
  worth,
  columns,
}: {
  assets: readonly AssetListItem[]
  view: View
  onGo: (view: View) => void
  busy: boolean
  worth: Worth
  columns: readonly AssetColumn[]
}) {
  const shown = useFirstRows(assets)
  const search = listAssets.search(view)
  const head = (key: AssetOrderKey) => headOf(view, key, onGo)
  const isWide = columns.length > USUAL
  const heads: Record<AssetColumn, ReactNode> = {
    name: <SortHead {...head('name')}>Asset</SortHead>,
    type: <HeadCell className="w-[15%]">Type</HeadCell>,
    plan: columns.includes('renewal') ? (
      <HeadCell className="w-[15%]">Plan</HeadCell>
    ) : (
      <SortHead className="w-[17%] xl:w-[16%]" {...head('renewal')}>
        Plan, renewal
      </SortHead>
    ),
    renewal: (
      <SortHead className="w-36" {...head('renewal')}>
        Renewal
      </SortHead>
    ),
    usage: (
      <SortHead className="w-34 xl:w-52 print:w-52" {...head('idle')}>
        Usage
      </SortHead>
    ),
    created: (
      <SortHead className="w-30" {...head('created')}>
        Created
      </SortHead>
    ),
    licenses: (
      <HeadCell right className={isWide ? 'w-42' : 'w-42 xl:w-62'}>
        Licenses
      </HeadCell>
    ),
  }
  return (
    <Card data-wide="" className={busy ? 'opacity-60 transition-opacity delay-150 duration-150' : ''}>
      {/* More columns than there is room for are scrolled beside each other, and not the page. */}
      <div className={isWide ? 'md:overflow-x-auto md:[&>table]:min-w-270' : ''}>
        <Table label={`Assets, ${orderName(view).toLowerCase()}`} busy={busy} fixed>
          <TableHead>
            {columns.map((column) => (
              <Fragment key={column}>{heads[column]}</Fragment>
            ))}
          </TableHead>
          <TableBody>
            {shown.map((item) => {
              const subscription = item.properties?.subscription
              return subscription ? (
                <LicenseRow
                  key={item.id}
                  item={item}
                  subscription={subscription}
                  search={search}
                  columns={columns}
                  lastPrice={worth.prices[item.id]}
                  idle={worth.idle[item.id]}
                />
              ) : (
                <Row key={item.id} className="relative hover:bg-sunken/50">
                  <AssetCells
                    item={item}
                    search={search}
                    columns={columns}
                    control={
                      <Cell place="right" right className="text-xs text-ink-3">
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
