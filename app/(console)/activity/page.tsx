import type { Metadata } from 'next'
import { ActivityTabs } from '#components/identity/audit-events/activity-tabs.tsx'
import { Activity } from '#components/licenses/activity/activity.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { whoText } from '#components/platform/values/who.ts'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { exportLicenseChanges, exportLicenseChangesXlsx, listLicenseChanges } from '#lib/licenses/client.ts'
import { readChoices } from '#lib/licenses/license-changes/choices.ts'
import * as contract from '#lib/licenses/license-changes/contract.ts'
import * as operations from '#lib/licenses/license-changes/operations.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import type { RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { readQuery, type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { asInvalid, InvalidView, StreamedRows } from '../invalid-view.tsx'
import { MissingRole } from '../missing-role.tsx'
import { requestMeta } from '../request-meta.ts'
import { settleWithin } from '../streamed.tsx'

export const metadata: Metadata = { title: 'Activity' }

const INVALID = { title: 'Activity', label: 'changes', path: '/activity' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/activity', search))
  if (!may(caller, 'licenses-manager')) {
    return <MissingRole title="Activity" caller={caller} permission="licenses-manager" />
  }
  const view = await readQuery(contract.listLicenseChanges, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const input = { params: {}, query: view, body: undefined }
  const list = await settleWithin(load(caller, input, await requestMeta()).catch(asInvalid))
  if ('now' in list && list.now instanceof Problem) return <InvalidView {...INVALID} problem={list.now} />
  const { filter, minCreationTime, maxCreationTime } = view
  const selected = { filter, minCreationTime, maxCreationTime, columns: 'words' } as const
  return (
    <>
      <PageHeader title="Activity" subtitle="License changes and their outcome" />
      {may(caller, 'audit-viewer') ? <ActivityTabs current="/activity" /> : null}
      <StreamedRows answer={list} invalid={INVALID}>
        {(result) => (
          <Hydrated answers={[[listLicenseChanges.key({ query: view }), result.body]]}>
            <Activity
              view={view}
              today={Date.now()}
              people={result.people}
              products={result.products}
              tools={
                <>
                  <ExportMenu
                    files={{
                      'Excel (XLSX)': exportLicenseChangesXlsx.path({ query: selected }),
                      CSV: exportLicenseChanges.path({ query: selected }),
                    }}
                  />
                  <CopyRequest path={listLicenseChanges.path({ query: view })} />
                </>
              }
            />
          </Hydrated>
        )}
      </StreamedRows>
    </>
  )
}

/** Loads the changes with the choices of the filters. */
async function load(caller: Caller, input: Input<typeof contract.listLicenseChanges>, meta: RequestMeta) {
  const [{ body }, choices] = await Promise.all([
    operations.listLicenseChanges(caller, input, meta),
    readChoices(caller),
  ])
  const people = choices.people.map((actor) => ({ id: actor.id, name: whoText(actor) }))
  return { body, people, products: choices.products }
}
