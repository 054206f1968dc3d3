import type { Metadata } from 'next'
import { cache } from 'react'
import { AssetPosting } from '#components/billing/posting-details/asset-posting.tsx'
import { AssetDetails } from '#components/licenses/asset-page/asset-details.tsx'
import { AssetHeader } from '#components/licenses/asset-page/asset-header.tsx'
import { AssetHistory } from '#components/licenses/asset-page/asset-history.tsx'
import { assetHref, oneAsset } from '#components/licenses/assets/one-asset.ts'
import { RenewalCard } from '#components/licenses/renewal-orders/renewal-card.tsx'
import { SeatPlot } from '#components/licenses/seats/seat-plot.tsx'
import { yearUntil } from '#components/licenses/seats/seat-steps.ts'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { readAssetPosting } from '#lib/billing/client.ts'
import { readAssetPosting as postingOf } from '#lib/billing/posting-details/operations.ts'
import { readLicenseCosts } from '#lib/costs/idle-licenses/operations.ts'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { serializeNextCosts } from '#lib/costs/renewals/serialize.ts'
import * as contract from '#lib/licenses/assets/contract.ts'
import { readAssetItem, readSeatHistory } from '#lib/licenses/assets/operations.ts'
import * as queries from '#lib/licenses/client.ts'
import { readRenewal } from '#lib/licenses/client.ts'
import type { Renewal } from '#lib/licenses/renewal-orders/contract.ts'
import { readRenewal as renewalOf } from '#lib/licenses/renewal-orders/operations.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { parseWholeNumber } from '#lib/platform/values/numbers.ts'
import { Missing } from '../../../missing.tsx'
import { idOf, readQuery, type SearchParams, searchOf } from '../../address.ts'
import { currentCaller, requireCaller } from '../../caller.ts'
import { Hydrated } from '../../hydrated.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'
import { Streamed, settleWithin } from '../../streamed.tsx'
import { historyOf, movedSince } from './history.ts'

/** Returns the costs after the end of an asset's commitment, at the last price. */
function nextCostsOf(
  { properties, scheduled }: contract.AssetListItem,
  { renewalType, quantity: purchased, assigned }: Renewal,
  price: LastPrice | undefined,
) {
  const planName = properties?.subscription?.Plan.PlanName ?? ''
  const scheduledTotal = scheduled?.quantity ?? null
  const plan = { planName, purchased, assigned, renewalType: renewalType ?? null, scheduledTotal }
  return serializeNextCosts(plan, price)
}

type PageProps = { params: Promise<{ id: string }>; searchParams: SearchParams }

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const id = idOf((await params).id)
  const caller = await currentCaller()
  if (!caller || !may(caller, 'licenses-manager')) return { title: `Asset ${id}` }
  // If it can't be read, the page shows the reason.
  const item = await loadAsset(caller, id).catch(() => null)
  if (item === undefined) return { title: 'Page not found' }
  return { title: item ? escapeInvisible(item.assetName) : `Asset ${id}` }
}

export default async function Page({ params, searchParams }: PageProps) {
  const [id, search] = [idOf((await params).id), await searchOf(searchParams)]
  const caller = await requireCaller(pathWith(assetHref(id), search))
  if (!may(caller, 'licenses-manager')) {
    return <MissingRole title={`Asset ${id}`} caller={caller} permission="licenses-manager" />
  }
  const { history, set } = await searchParams
  // Load the asset before anything is sent, so that a missing one gets the status 404.
  const item = await loadAsset(caller, id)
  if (!item) return <Missing />
  const span = yearUntil(Date.now())
  const meta = await requestMeta()
  const posted = { params: { asset_id: id } }
  const isCommitmentPlan = item.properties?.subscription?.Plan.IsCommitmentPlan
  const more = Promise.all([
    historyOf(caller, id, typeof history === 'string' ? history : undefined, meta),
    postingOf(caller, { ...posted, query: {}, body: undefined }, meta),
    isCommitmentPlan ? renewalOf(caller, { ...posted, query: {}, body: undefined }, meta) : undefined,
  ])
  // Handled below. It may fail while the other reads are awaited.
  more.catch(() => {})
  const seatData = Promise.all([
    movedSince(caller, id, span.from, meta),
    readSeatHistory(caller, id, span.from),
  ])
  seatData.catch(() => {})
  const [costs, listed] = await Promise.all([
    readLicenseCosts(caller, item.properties?.subscription ? [id] : []),
    listOf(search),
  ])
  const [answer, plot] = await Promise.all([settleWithin(more), settleWithin(seatData)])
  const at = (token?: string) =>
    assetHref(id, [listed, token && `history=${token}`].filter(Boolean).join('&'))
  const { NumberOfSeats: purchased, LicensedNumberOfSeats: assigned } =
    item.properties?.subscription?.Seats ?? {}
  const seats = purchased === undefined || assigned === undefined ? undefined : { purchased, assigned }
  // A settled answer is rendered outside of Suspense: in a streamed SVG, React hides parts with inline styles.
  const plotOf = ([changes, samples]: Awaited<typeof seatData>) =>
    seats ? <SeatPlot history={{ changes, samples, now: seats, since: item.createTime }} span={span} /> : null
  return (
    <Hydrated answers={[[oneAsset.key(id), oneAsset.list(item)]]}>
      <AssetHeader
        item={item}
        back={pathWith('/assets', listed)}
        lastPrice={costs.prices[id]}
        idle={costs.idle[id]}
        proposed={typeof set === 'string' ? parseWholeNumber(set) : undefined}
      />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_19rem]">
        <div className={seats ? 'xl:order-2' : ''}>
          <AssetDetails item={item} now={span.to} />
          {/* Keeps the place of both cards, which are above the plot on a phone. */}
          <Streamed answer={answer} fallback={<div className={isCommitmentPlan ? 'h-95' : 'h-52'} />}>
            {([, posting, renewal]) => (
              <Hydrated
                answers={[
                  [readAssetPosting.key(posted), posting.body],
                  ...(renewal ? ([[readRenewal.key(posted), renewal.body]] as const) : []),
                ]}
              >
                {renewal ? (
                  <RenewalCard
                    id={id}
                    name={item.assetName}
                    lastPrice={costs.prices[id]}
                    costs={nextCostsOf(item, renewal.body, costs.prices[id])}
                  />
                ) : null}
                <AssetPosting
                  id={id}
                  vendorPurchaseOrder={item.properties?.subscription?.PurchaseOrderID}
                  maySet={may(caller, 'posting-editor')}
                />
              </Hydrated>
            )}
          </Streamed>
        </div>
        {seats ? (
          <div className="grid min-w-0 gap-4">
            {'now' in plot ? (
              plotOf(plot.now)
            ) : (
              <Streamed answer={plot} fallback={<RowsWaiting />}>
                {plotOf}
              </Streamed>
            )}
            <Streamed answer={answer} fallback={<RowsWaiting />}>
              {([changes]) => (
                <AssetHistory changes={changes instanceof Problem ? undefined : changes} at={at} />
              )}
            </Streamed>
          </div>
        ) : null}
      </div>
    </Hydrated>
  )
}

/** Returns an asset; undefined if there is none. Cached per request for the page and its title. */
const loadAsset = cache(async (caller: Caller, id: string): Promise<contract.AssetListItem | undefined> => {
  try {
    return await readAssetItem(caller, id, await requestMeta())
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined
    throw error
  }
})

/**
 * Returns the query string of the list that the page was opened from; an invalid one unchanged, because the list
 * explains it.
 */
async function listOf(search: string): Promise<string> {
  const view = await readQuery(contract.listAssets, search)
  if (!(view instanceof Problem)) return queries.listAssets.search(view)
  const parts = search.split('&').filter((part) => !/^(history|set)=/.test(part))
  return parts.join('&')
}
