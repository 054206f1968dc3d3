import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { AssetPosting } from '#components/billing/posting-details/asset-posting.tsx'
import { AssetFacts } from '#components/licenses/asset-page/asset-facts.tsx'
import { AssetHead } from '#components/licenses/asset-page/asset-head.tsx'
import { AssetHistory } from '#components/licenses/asset-page/asset-history.tsx'
import { assetHref, oneAsset } from '#components/licenses/assets/one-asset.ts'
import { RenewalCard } from '#components/licenses/renewal-orders/renewal-card.tsx'
import { SeatPlot } from '#components/licenses/seats/seat-plot.tsx'
import { yearUntil } from '#components/licenses/seats/seat-steps.ts'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { visible } from '#components/ui/visible.ts'
import { readAssetPosting } from '#lib/billing/client.ts'
import { readAssetPosting as postingOf } from '#lib/billing/posting-details/operations.ts'
import { worthOf } from '#lib/costs/idle-licenses/operations.ts'
import * as contract from '#lib/licenses/assets/contract.ts'
import { readAssetItem, readSeatHistory } from '#lib/licenses/assets/operations.ts'
import * as queries from '#lib/licenses/client.ts'
import { readRenewal } from '#lib/licenses/client.ts'
import { wholeNumber } from '#lib/licenses/license-lists/rules.ts'
import { readRenewal as renewalOf } from '#lib/licenses/renewal-orders/operations.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { idOf, readQuery, type SearchParams, searchOf } from '../../address.ts'
import { currentCaller, requireCaller } from '../../caller.ts'
import { Hydrated } from '../../hydrated.tsx'
import { Late, soon } from '../../late.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { traceOf } from '../../trace.ts'
import { historyOf, movedSince } from './history.ts'

type Given = { params: Promise<{ id: string }>; searchParams: SearchParams }

export async function generateMetadata({ params }: Given): Promise<Metadata> {
  const id = idOf((await params).id)
  const caller = await currentCaller()
  if (!caller || !may(caller, 'licenses-manager')) return { title: `Asset ${id}` }
  // Where it can't be read, the page says why.
  const item = await found(caller, id).catch(() => undefined)
  return { title: item ? visible(item.assetName) : `Asset ${id}` }
}

export default async function Page({ params, searchParams }: Given) {
  const [id, search] = [idOf((await params).id), await searchOf(searchParams)]
  const caller = await requireCaller(pathWith(assetHref(id), search))
  if (!may(caller, 'licenses-manager')) {
    return <MissingRole title={`Asset ${id}`} caller={caller} permission="licenses-manager" />
  }
  const { history, set } = await searchParams
  // Whether there is one is known before anything is sent: a 404 is one.
  const item = await found(caller, id)
  const span = yearUntil(Date.now())
  const trace = await traceOf()
  const posted = { params: { asset_id: id } }
  const more = Promise.all([
    historyOf(caller, id, typeof history === 'string' ? history : undefined, trace),
    postingOf(caller, { ...posted, query: {}, body: undefined }, trace),
    item.properties?.subscription?.Plan.IsCommitmentPlan
      ? renewalOf(caller, { ...posted, query: {}, body: undefined }, trace)
      : undefined,
  ])
  // It may fail while the others of its time are waited for.
  more.catch(() => {})
  const drawn = Promise.all([
    movedSince(caller, id, span.from, trace),
    readSeatHistory(caller, id, span.from),
  ])
  drawn.catch(() => {})
  const [worth, listed] = await Promise.all([
    worthOf(caller, item.properties?.subscription ? [id] : []),
    listOf(search),
  ])
  const [answer, plot] = await Promise.all([soon(more), soon(drawn)])
  const at = (token?: string) =>
    assetHref(id, [listed, token && `history=${token}`].filter(Boolean).join('&'))
  const { NumberOfSeats: purchased, LicensedNumberOfSeats: assigned } =
    item.properties?.subscription?.Seats ?? {}
  const seats = purchased === undefined || assigned === undefined ? undefined : { purchased, assigned }
  // One that is there stands in no boundary: of a drawing that comes later, React hides pieces by styles of their own.
  const plotOf = ([changes, readings]: Awaited<typeof drawn>) =>
    seats ? <SeatPlot known={{ changes, readings, now: seats, since: item.createTime }} span={span} /> : null
  return (
    <Hydrated answers={[[oneAsset.key(id), oneAsset.list(item)]]}>
      <AssetHead
        item={item}
        back={pathWith('/assets', listed)}
        lastPrice={worth.prices[id]}
        idle={worth.idle[id]}
        proposed={typeof set === 'string' ? wholeNumber(set) : undefined}
      />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_19rem]">
        <div className={seats ? 'xl:order-2' : ''}>
          <AssetFacts item={item} now={span.to} />
          <Late answer={answer} fallback={null}>
            {([, posting, renewal]) => (
              <Hydrated
                answers={[
                  [readAssetPosting.key(posted), posting.body],
                  ...(renewal ? ([[readRenewal.key(posted), renewal.body]] as const) : []),
                ]}
              >
                {renewal ? <RenewalCard id={id} lastPrice={worth.prices[id]} /> : null}
                <AssetPosting id={id} maySet={may(caller, 'posting-editor')} />
              </Hydrated>
            )}
          </Late>
        </div>
        {seats ? (
          <div className="grid min-w-0 gap-4">
            {'now' in plot ? (
              plotOf(plot.now)
            ) : (
              <Late answer={plot} fallback={<RowsWaiting />}>
                {plotOf}
              </Late>
            )}
            <Late answer={answer} fallback={<RowsWaiting />}>
              {([changes]) => (
                <AssetHistory changes={changes instanceof Problem ? undefined : changes} at={at} />
              )}
            </Late>
          </div>
        ) : null}
      </div>
    </Hydrated>
  )
}

/** Read once for the page and its title. */
const found = cache(async (caller: Caller, id: string): Promise<contract.AssetListItem> => {
  try {
    return await readAssetItem(caller, id, await traceOf())
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') notFound()
    throw error
  }
})

/** The query string of the list that the page was opened from; an odd one as it is, for the list explains it. */
async function listOf(search: string): Promise<string> {
  const view = await readQuery(contract.listAssets, search)
  if (!(view instanceof Problem)) return queries.listAssets.search(view)
  const parts = search.split('&').filter((part) => !/^(history|set)=/.test(part))
  return parts.join('&')
}
