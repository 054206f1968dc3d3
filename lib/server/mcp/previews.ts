import 'server-only'
import { lastPrices } from '#lib/costs/license-prices/operations.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { needsTypedTotal } from '#lib/licenses/assets/quantity-rule.ts'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import type { Renewal } from '#lib/licenses/renewal-orders/contract.ts'
import { CONFIRMATION_MS } from '#lib/platform/api/confirmations.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { moneyText, sumOf } from '#lib/platform/values/money.ts'
import { type Args, type AssistantRequest, call, dataText } from './api-call.ts'
import type { DryRun, Previewed, PreviewRequest } from './changes.ts'

// Previews of changes: a client shows them to a person before the confirmation. Names from customers' data are in quotes.

type Item = AssetListItem

/** Previews a new total of licenses. */
export async function previewQuantity(request: PreviewRequest, args: Args): Promise<Previewed> {
  const quantity = Number(args.quantity)
  const answer = await call(request.operations.setQuantity, request, {
    args: { asset_id: args.asset_id, dryRun: true },
    body: { quantity: args.quantity },
  })
  if (answer.status !== 200) return { answer }
  const item = await read(request, args.asset_id)
  const subscription = item.properties?.subscription
  if (!subscription || subscription.Seats.NumberOfSeats === quantity) return { answer }
  const { Seats, Plan, Status } = subscription
  const { NumberOfSeats: purchased, LicensedNumberOfSeats: assigned } = Seats
  const state = { status: Status, isCommitmentPlan: Plan.IsCommitmentPlan, purchased }
  const difference = quantity - purchased
  const sentences = [
    `Set the licenses of ${nameOf(item)} from ${count(purchased)} to ${count(quantity)} (${difference > 0 ? '+' : '−'}${count(Math.abs(difference))})?`,
    effectOf(item, difference, Plan),
    assigned > quantity
      ? `${count(assigned)} are assigned: ${item.vendor?.label ?? 'the vendor'} may take licenses from users.`
      : `${count(assigned)} are assigned.`,
    await costOf(request, item, difference),
    scheduledText(item),
  ]
  const typed = needsTypedTotal(state, quantity) ? { typed: String(quantity) } : {}
  return { message: messageOf(sentences), preview: { seatVersion: versionIn(item.etag), ...typed } }
}

/** Previews an order for the next term, or the end of the plan. */
export async function previewRenewal(
  request: PreviewRequest,
  args: Args,
  dryRun: DryRun,
): Promise<Previewed> {
  const answer = await call(request.operations.readRenewal, request, { args: { asset_id: args.asset_id } })
  if (answer.status !== 200) return { answer }
  const item = await read(request, args.asset_id)
  const rejection = await dryRun(item.assetName)
  if (rejection) return { answer: rejection }
  const renewal = answer.body as Renewal
  const until =
    renewal.decideBy === undefined ? '' : ` It can be decided on until ${dayText(renewal.decideBy)}.`
  const end =
    renewal.time === undefined ? 'when its term ends' : `when its term ends on ${dayText(renewal.time)}`
  const sentences = [
    renewalText(item, args, { now: renewal.quantity, end }),
    `Nothing changes before.${until}`,
    await costOf(request, item, differenceOf(args, renewal.quantity)),
    renewal.order ? 'It replaces what is ordered now.' : '',
  ]
  const typed = args.action ? { typed: item.assetName } : {}
  return { message: messageOf(sentences), preview: { ...versionsOf(item, answer.headers), ...typed } }
}

/** Returns the question about an order for the next term. `now` is the present total. */
function renewalText(item: Item, args: Args, { now, end }: { now: number; end: string }): string {
  if (args.action === 'cancel')
    return `End the plan of ${nameOf(item)} ${end}? After that day its ${count(now)} licenses are gone, and that cannot be undone.`
  if (args.action !== undefined)
    return `Let the plan of ${nameOf(item)} continue from month to month ${end}, at a surcharge?`
  const content =
    args.quantity === undefined ? dataText(args.renewalType) : `${count(Number(args.quantity))} licenses`
  return `Order ${content} for the next term of ${nameOf(item)} (now ${count(now)})? It begins ${end}.`
}

/** Returns the difference in licenses that an order makes. */
function differenceOf({ action, quantity }: Args, now: number): number {
  if (action === 'cancel') return -now
  return quantity === undefined ? 0 : Number(quantity) - now
}

/** Previews the withdrawal of an order. */
export async function previewWithdrawal(
  request: PreviewRequest,
  args: Args,
  dryRun: DryRun,
): Promise<Previewed> {
  const answer = await call(request.operations.readRenewal, request, { args: { asset_id: args.asset_id } })
  const { order: active, time } = answer.body as Partial<Renewal>
  // Without an order nothing would change.
  if (answer.status !== 200 || !active) return { answer }
  const rejection = await dryRun()
  if (rejection) return { answer: rejection }
  const item = await read(request, args.asset_id)
  const content =
    active.quantity === undefined
      ? dataText(active.action ?? active.renewalType)
      : `${count(active.quantity)} licenses`
  const sentences = [
    `Withdraw what is ordered for the next term of ${nameOf(item)}: ${content}?`,
    `Then happens what would have happened by itself${time === undefined ? '' : ` on ${dayText(time)}`}.`,
  ]
  return { message: messageOf(sentences), preview: versionsOf(item, answer.headers) }
}

/** Previews the acknowledgement of an unclear change. */
export async function previewAcknowledgement(
  request: PreviewRequest,
  args: Args,
  dryRun: DryRun,
): Promise<Previewed> {
  const answer = await call(request.operations.readLicenseChange, request, {
    args: { change_id: args.change_id },
  })
  if (answer.status !== 200) return { answer }
  const { assetId, from, to, acknowledged } = answer.body as LicenseChange
  const rejection = await dryRun()
  if (rejection || acknowledged) return { answer: rejection ?? answer }
  const item = await read(request, assetId)
  const sentences = [
    `Say that the unclear change of ${nameOf(item)} from ${count(from)} to ${count(to)} was checked at the vendor?`,
    'Confirm only if you have compared the total at the vendor with the one that you need. That cannot be undone.',
  ]
  return { message: messageOf(sentences), preview: { seatVersion: versionIn(item.etag) } }
}

function read({ counted, requestId, operations }: PreviewRequest, assetId: unknown): Promise<Item> {
  return operations.readAssetItem(counted.caller, String(assetId), { requestId })
}

function versionsOf(item: Item, { ETag }: Record<string, string>) {
  return { seatVersion: versionIn(item.etag), renewalVersion: versionIn(ETag) }
}

/** Returns the version that an ETag begins with. */
function versionIn(etag = ''): string {
  return /^"([^."]*)\./.exec(etag)?.[1] ?? ''
}

function messageOf(sentences: readonly string[]): string {
  const minutes = CONFIRMATION_MS / 60_000
  return [...sentences.filter(Boolean), `This holds for ${minutes} minutes.`].join(' ')
}

/** Longest name in a preview, in characters: a longer one would hide the totals behind it. */
const MAX_NAME = 100

function nameOf({ assetName }: Item): string {
  return dataText(assetName.length > MAX_NAME ? `${assetName.slice(0, MAX_NAME)}…` : assetName)
}

function count(licenses: number): string {
  return licenses.toLocaleString('en')
}

/** Returns when the change takes effect, and whether it can be taken back. */
function effectOf(
  { vendor }: Item,
  difference: number,
  {
    IsCommitmentPlan,
    CommitmentEndTime,
  }: { IsCommitmentPlan: boolean; CommitmentEndTime?: number | undefined },
): string {
  if (IsCommitmentPlan) {
    const end = CommitmentEndTime === undefined ? 'the term ends' : dayText(CommitmentEndTime)
    return `It takes effect now, and cannot be undone before ${end}.`
  }
  if (!vendor?.locksIncreases) return 'It takes effect now, and can be changed again at any time.'
  return difference > 0
    ? `It takes effect now. ${vendor.label} takes licenses back for a few days only, then not before the term ends.`
    : `${vendor.label} takes back only licenses that were added in the last few days.`
}

/** Returns the cost of a difference in licenses at the price last billed, where the caller may see it. */
async function costOf({ counted }: AssistantRequest, item: Item, difference: number): Promise<string> {
  const subscription = item.properties?.subscription
  if (item.vendor?.quantityIsCap) return 'This is a cap: what is in use is billed.'
  if (!subscription || difference === 0) return ''
  const { SkuName: skuName, Plan, Seats } = subscription
  const priced = {
    id: item.id,
    type: item.type,
    skuName,
    planName: Plan.PlanName,
    purchased: Seats.NumberOfSeats,
  }
  const price = (await lastPrices(counted.caller, [priced]))[item.id]
  if (!price) return 'No price is known.'
  const amount = moneyText(sumOf([[price.price, Math.abs(difference)]]), price.currency)
  const direction = difference > 0 ? 'more' : 'less'
  return `About ${amount} ${direction} per billing period, at the price last billed on ${dayText(price.invoiceDate)}.`
}

/** Returns the order for the next term that a change may delete. */
function scheduledText({ scheduled, vendor }: Item): string {
  if (!scheduled || vendor?.name === 'built-in') return ''
  const when = scheduled.time === undefined ? 'the next renewal' : dayText(scheduled.time)
  return `${count(scheduled.quantity)} licenses are ordered for ${when}: a change now may delete that at the vendor.`
}
