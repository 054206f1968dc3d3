'use client'

import { Card } from '#components/ui/card.tsx'
import { useFirstRows } from '#components/ui/first-rows.ts'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import type { AssetListItem } from '#lib/assets/contract.ts'
import type { Worth } from '#lib/idle-licenses/rules.ts'
import { AssetCells } from './asset-cells.tsx'
import { LicenseRow } from './license-row.tsx'

/**
 * Assets with their license controls. `search` is the list's query string; `worth` says what they cost.
 */
export function AssetTable({
  assets,
  search,
  busy,
  worth,
}: {
  assets: readonly AssetListItem[]
  search: string
  busy: boolean
  worth: Worth
}) {
  const shown = useFirstRows(assets)
  return (
    <Card data-wide="" className={busy ? 'opacity-60 transition-opacity delay-150 duration-150' : ''}>
      <Table label="Assets" busy={busy} fixed>
        <TableHead>
          <HeadCell>Asset</HeadCell>
          <HeadCell className="w-[15%] xl:w-[17%]">Type</HeadCell>
          <HeadCell className="w-[17%] xl:w-[16%]">Plan</HeadCell>
          <HeadCell className="w-34 xl:w-52">Usage</HeadCell>
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
              <Row key={item.id} className="relative hover:bg-sunken/50">
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
