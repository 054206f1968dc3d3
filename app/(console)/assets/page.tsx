import type { Metadata } from 'next'
import { AssetTabs } from '#components/costs/renewals/asset-tabs.tsx'
import { AssetsScreen } from '#components/licenses/asset-list/assets-screen.tsx'
import { idleNotes } from '#components/licenses/assets/idle.ts'
import { isFiltered } from '#components/licenses/assets/view.ts'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { selectionOf, withValues } from '#components/lists/filters/view.ts'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { countText } from '#components/ui/count-text.ts'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { readLicenseCosts } from '#lib/costs/idle-licenses/operations.ts'
import * as contract from '#lib/licenses/assets/contract.ts'
import { listAssets, readChoices, summarizeAssets } from '#lib/licenses/assets/operations.ts'
import * as queries from '#lib/licenses/client.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { selectedColumns } from '#lib/workspace/list-columns/operations.ts'
import { readQuery, type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { asInvalid, InvalidView, StreamedRows } from '../invalid-view.tsx'
import { MissingRole } from '../missing-role.tsx'
import { requestMeta } from '../request-meta.ts'
import { Streamed, settleWithin } from '../streamed.tsx'

export const metadata: Metadata = { title: 'Assets' }

/** Keeps the height of the line. */
const NOTHING_YET = '\u00a0'

const INVALID = { title: 'Assets', label: 'assets', path: '/assets' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/assets', search))
  if (!may(caller, 'licenses-manager')) {
    return <MissingRole title="Assets" caller={caller} permission="licenses-manager" />
  }
  const read = await readQuery(contract.listAssets, search)
  if (read instanceof Problem) return <InvalidView {...INVALID} problem={read} />
  const query = { ...read, view: 'full' as const }
  const answer = await settleWithin(load(caller, query))
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  const { view: _, maxResults: __, pageToken: ___, ...selected } = query
  return (
    <>
      <PageHeader
        title="Assets"
        subtitle={
          <span role="status">
            <Streamed answer={answer} fallback={NOTHING_YET}>
              {(result) => (result instanceof Problem ? NOTHING_YET : subtitle(query, result.summary))}
            </Streamed>
          </span>
        }
        actions={
          <ButtonLink href="/assets/bulk" prefetch={false}>
            Bulk edit
          </ButtonLink>
        }
      />
      <AssetTabs current="/assets" />
      <StreamedRows answer={answer} invalid={INVALID}>
        {(result) => (
          <Hydrated answers={[[queries.listAssets.key({ query }), result.list]]}>
            <AssetsScreen
              query={query}
              counts={result.summary.types}
              choices={result.choices}
              today={Date.now()}
              customer={caller.customerName}
              costs={result.costs}
              columns={result.columns}
              tools={
                <>
                  <ExportMenu
                    files={{
                      'Excel (XLSX)': queries.exportAssetsXlsx.path({ query: selected }),
                      CSV: queries.exportAssets.path({ query: selected }),
                    }}
                  />
                  <CopyRequest path={queries.listAssets.path({ query })} />
                </>
              }
            />
          </Hydrated>
        )}
      </StreamedRows>
    </>
  )
}

type Query = Input<typeof contract.listAssets>['query']
type Counts = { count: number; types: { type: string; count: number }[] }

/**
 * Loads rows and counts, filter choices, and the rows' license costs. The chips count the rows that all other filters
 * select.
 */
async function load(caller: Caller, query: Query) {
  const meta = await requestMeta()
  const nothing = { params: {}, body: undefined }
  const ofAnyType = selectionOf(withValues(query, 'type', []))
  const [list, summary, choices, columns] = await Promise.all([
    listAssets(caller, { ...nothing, query }, meta).catch(asInvalid),
    summarizeAssets(caller, { ...nothing, query: ofAnyType }, meta),
    readChoices(caller),
    selectedColumns(caller, 'assets'),
  ])
  if (list instanceof Problem) return list
  const licensed = list.body.assets.filter(({ properties }) => properties?.subscription)
  const costs = await readLicenseCosts(
    caller,
    licensed.map(({ id }) => id),
  )
  return {
    list: list.body,
    summary: summary.body,
    choices,
    columns,
    costs: { prices: costs.prices, idle: idleNotes(costs.idle) },
  }
}

function subtitle({ view: _, ...view }: Query, { count, types }: Counts): string {
  const { filter } = view
  const selected = filter?.type ? types.filter(({ type }) => filter.type?.includes(type)) : types
  const matching = filter?.type ? selected.reduce((sum, one) => sum + one.count, 0) : count
  const assets = `${countText(matching)} ${matching === 1 ? 'asset' : 'assets'}`
  if (isFiltered(view)) return `${assets} ${matching === 1 ? 'matches' : 'match'}.`
  if (count === 0) return 'Nothing here yet.'
  const platforms = `${types.length} ${types.length === 1 ? 'platform' : 'platforms'}`
  return `${assets} on ${platforms}. Changes take effect immediately.`
}
