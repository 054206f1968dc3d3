import type { Metadata } from 'next'
import { ActivityTabs } from '#components/identity/audit-events/activity-tabs.tsx'
import { AuditEvents } from '#components/identity/audit-events/audit-events.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { whoText } from '#components/platform/values/who.ts'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import * as contract from '#lib/identity/audit-events/contract.ts'
import * as operations from '#lib/identity/audit-events/operations.ts'
import { readPeople } from '#lib/identity/audit-events/people.ts'
import { exportAuditEvents, exportAuditEventsXlsx, listAuditEvents } from '#lib/identity/client.ts'
import { readAssetNames, readChoices } from '#lib/licenses/license-changes/choices.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import type { RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { readQuery, type SearchParams, searchOf } from '../../address.ts'
import { requireCaller } from '../../caller.ts'
import { Hydrated } from '../../hydrated.tsx'
import { asInvalid, InvalidView, StreamedRows } from '../../invalid-view.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'
import { settleWithin } from '../../streamed.tsx'

export const metadata: Metadata = { title: 'Audit log' }

const PATH = '/activity/events'
const INVALID = { title: 'Activity', label: 'events', path: PATH }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith(PATH, search))
  if (!may(caller, 'audit-viewer')) {
    return <MissingRole title="Activity" caller={caller} permission="audit-viewer" />
  }
  const view = await readQuery(contract.listAuditEvents, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const input = { params: {}, query: view, body: undefined }
  const list = await settleWithin(load(caller, input, await requestMeta()).catch(asInvalid))
  if ('now' in list && list.now instanceof Problem) return <InvalidView {...INVALID} problem={list.now} />
  const { filter, minCreationTime, maxCreationTime } = view
  const selected = { filter, minCreationTime, maxCreationTime }
  return (
    <>
      <PageHeader title="Activity" subtitle={`Everything that was done at ${caller.customerName}`} />
      <ActivityTabs current={PATH} />
      <StreamedRows answer={list} invalid={INVALID}>
        {(result) => (
          <Hydrated answers={[[listAuditEvents.key({ query: view }), result.body]]}>
            <AuditEvents
              view={view}
              today={Date.now()}
              names={result.names}
              people={result.people}
              products={result.products}
              tools={
                <>
                  <ExportMenu
                    files={{
                      'Excel (XLSX)': exportAuditEventsXlsx.path({ query: selected }),
                      CSV: exportAuditEvents.path({ query: selected }),
                    }}
                  />
                  <CopyRequest path={listAuditEvents.path({ query: view })} />
                </>
              }
            />
          </Hydrated>
        )}
      </StreamedRows>
    </>
  )
}

/** Loads the events, the names of their subjects and the choices of the filter. */
async function load(caller: Caller, input: Input<typeof contract.listAuditEvents>, meta: RequestMeta) {
  const { body } = await operations.listAuditEvents(caller, input, meta)
  const assetIds = body.auditEvents.flatMap(({ subject, details: { assetId } }) =>
    typeof assetId === 'string' ? [subject, assetId] : [subject],
  )
  const [{ actors, names }, assetNames, { products }] = await Promise.all([
    readPeople(caller, body.auditEvents),
    readAssetNames(caller, assetIds),
    readChoices(caller),
  ])
  const people = actors.map((actor) => ({ id: actor.id, name: whoText(actor) }))
  const productNames = Object.fromEntries(products.map(({ id, name }) => [id, name]))
  return { body, names: { ...productNames, ...assetNames, ...names }, people, products }
}
