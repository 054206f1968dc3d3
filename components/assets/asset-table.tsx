'use client'

import { headOf, orderName } from '#components/asset-filters/order.ts'
import { Card } from '#components/ui/card.tsx'
import { useFirstRows } from '#components/ui/first-rows.ts'
import { SortHead } from '#components/ui/sort-head.tsx'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import type { AssetListItem } from '#lib/assets/contract.ts'
import { listAssets } from '#lib/assets/queries.ts'
import type { AssetOrderKey } from '#lib/assets/rules.ts'
import type { Worth } from '#lib/idle-licenses/rules.ts'
import { AssetCells } from './asset-cells.tsx'
import { LicenseRow } from './license-row.tsx'
import type { View } from './view.ts'

/**
 * Assets with their license controls, as `view` orders them; a head asks for another one. `worth` says what they cost.
 */
export function AssetTable({
  assets,
  view,
  onGo,
  busy,
  worth,
}: {
  assets: readonly AssetListItem[]
  view: View
  onGo: (view: View) => void
  busy: boolean
  worth: Worth
}) {
  const shown = useFirstRows(assets)
  const search = listAssets.search(view)
  const head = (key: AssetOrderKey) => headOf(view, key, onGo)
  return (
    <Card className={busy ? 'opacity-60 transition-opacity delay-150 duration-150' : ''}>
      <Table label={`Assets, ${orderName(view).toLowerCase()}`} busy={busy} fixed>
        <TableHead>
          <SortHead {...head('name')}>Asset</SortHead>
          <HeadCell className="w-[15%] xl:w-[17%]">Type</HeadCell>
          <SortHead className="w-[17%] xl:w-[16%]" {...head('renewal')}>
            Plan, renewal
          </SortHead>
          <SortHead className="w-34 xl:w-41" {...head('idle')}>
            Usage
          </SortHead>
          <HeadCell right className="w-42 xl:w-62">
            Licenses
          </HeadCell>
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
                lastPrice={worth.prices[item.id]}
                idle={worth.idle[item.id]}
              />
            ) : (
              <Row key={item.id}>
                <AssetCells item={item} search={search} />
                <Cell place="right" right className="text-xs text-ink-3">
                  N/A
                </Cell>
              </Row>
            )
          })}
        </TableBody>
      </Table>
    </Card>
  )
}
