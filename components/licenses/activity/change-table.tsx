import Link from 'next/link'
import { differenceText } from '#components/licenses/assets/labels.ts'
import { assetHref } from '#components/licenses/assets/one-asset.ts'
import { ChangeOutcome } from '#components/licenses/license-changes/change-outcome.tsx'
import { idsToSetAgain } from '#components/licenses/license-changes/last-change.ts'
import { Moment } from '#components/platform/values/times.tsx'
import { whoText } from '#components/platform/values/who.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { HistoryTable } from '#components/ui/history-table.tsx'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'
import { Cell, Row, RowHeaderCell, TableHeaderCell } from '#components/ui/table.tsx'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import { Acknowledge } from './acknowledge.tsx'

/** License changes, newest first; `named` adds the asset. */
export function ChangeTable({
  changes,
  named = false,
  pending = false,
}: {
  changes: readonly LicenseChange[]
  named?: boolean
  pending?: boolean
}) {
  // The asset's own page offers these above the table.
  const offered = idsToSetAgain(changes)
  // Row header: the asset or, where all rows are about one asset, the time.
  const When = named ? Cell : RowHeaderCell
  return (
    <HistoryTable
      label="Changes of licenses"
      pending={pending}
      headers={
        <>
          {named ? <TableHeaderCell>Asset</TableHeaderCell> : null}
          <TableHeaderCell>Who</TableHeaderCell>
          <TableHeaderCell right>Change</TableHeaderCell>
          <TableHeaderCell right>Difference</TableHeaderCell>
          <TableHeaderCell>Outcome</TableHeaderCell>
        </>
      }
    >
      {changes.map((change) => (
        <Row key={change.id} className={named ? 'relative hover:bg-sunken/50' : ''}>
          <When className="max-md:text-sm xl:whitespace-nowrap">
            <Moment at={change.createTime} />
          </When>
          {named ? (
            <RowHeaderCell className="wrap-anywhere md:min-w-28 print:min-w-28">
              <AssetLink change={change} />
            </RowHeaderCell>
          ) : null}
          <Cell className="wrap-anywhere max-md:text-sm max-md:text-ink-2 md:min-w-28">
            {whoText(change.actor)}
          </Cell>
          <Cell placement="right-1" right number>
            {change.from.toLocaleString('en')} → {change.to.toLocaleString('en')}
          </Cell>
          <Cell placement="right-2" right number className="text-sm text-ink-3">
            {differenceText(change.to - change.from)}
          </Cell>
          <Cell placement="across">
            <ChangeOutcome change={change} again={named && offered.has(change.id)} />
            <Acknowledge change={change} />
          </Cell>
        </Row>
      ))}
    </HistoryTable>
  )
}

function AssetLink({ change }: { change: LicenseChange }) {
  return (
    <Link
      href={assetHref(change.assetId)}
      prefetch={false}
      className="rounded-sm font-[550] underline-offset-2 after:absolute after:inset-0 hover:underline"
    >
      {escapeInvisible(change.assetName)}
      <LinkSpinner />
    </Link>
  )
}
