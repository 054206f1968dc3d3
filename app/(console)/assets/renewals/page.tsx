import type { Metadata } from 'next'
import { AssetTabs } from '#components/costs/renewals/asset-tabs.tsx'
import { CalendarFeed } from '#components/costs/renewals/calendar-feed.tsx'
import { RenewalsScreen } from '#components/costs/renewals/renewals-screen.tsx'
import { RENEWALS } from '#components/costs/renewals/view.ts'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { exportRenewals, exportRenewalsXlsx, listRenewals } from '#lib/costs/client.ts'
import * as contract from '#lib/costs/renewals/contract.ts'
import * as operations from '#lib/costs/renewals/operations.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { readQuery, type SearchParams, searchOf } from '../../address.ts'
import { requireCaller } from '../../caller.ts'
import { asInvalid, InvalidView, StreamedRows } from '../../invalid-view.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'
import { settleWithin } from '../../streamed.tsx'

export const metadata: Metadata = { title: 'Renewals' }

const TITLE = 'Renewals'
const INVALID = { title: TITLE, label: 'renewals', path: RENEWALS }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith(RENEWALS, search))
  if (!may(caller, 'licenses-manager')) {
    return <MissingRole title={TITLE} caller={caller} permission="licenses-manager" />
  }
  const view = await readQuery(contract.listRenewals, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const input = { params: {}, query: view, body: undefined }
  const answer = await settleWithin(
    operations.listRenewals(caller, input, await requestMeta()).catch(asInvalid),
  )
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  return (
    <>
      <PageHeader
        title={TITLE}
        subtitle="Commitments ending in the next 12 months"
        actions={<CalendarFeed />}
      />
      <AssetTabs current={RENEWALS} />
      <StreamedRows answer={answer} invalid={INVALID}>
        {(result) => (
          <RenewalsScreen
            view={view}
            list={result.body}
            tools={
              <>
                <ExportMenu
                  files={{
                    'Excel (XLSX)': exportRenewalsXlsx.path({ query: view }),
                    CSV: exportRenewals.path({ query: view }),
                  }}
                />
                <CopyRequest path={listRenewals.path({ query: view })} />
              </>
            }
          />
        )}
      </StreamedRows>
    </>
  )
}
