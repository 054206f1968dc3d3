import type { ReactNode } from 'react'
import { planEnd, planName, type Subscription } from '#components/licenses/assets/labels.ts'
import { agoText, Day } from '#components/platform/values/times.tsx'
import { Card } from '#components/ui/card.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { ReadAgain } from './read-again.tsx'

/** Details of an asset, and their age at the time `now` (epoch milliseconds). */
export function AssetDetails({ item, now }: { item: AssetListItem; now: number }) {
  const subscription = item.properties?.subscription
  return (
    <Card>
      <dl aria-label="Facts" className="grid gap-x-8 gap-y-2 px-4 py-3.5 md:max-xl:grid-cols-2">
        {subscription ? <SubscriptionDetails subscription={subscription} /> : null}
        {subscription ? null : <DetailItem label="Licenses">No licenses</DetailItem>}
        <DetailItem label="Created">
          <Day at={item.createTime} />
        </DetailItem>
        {item.vendor && item.vendor.name !== 'built-in' ? (
          <DetailItem label="Vendor">{item.vendor.label}</DetailItem>
        ) : null}
        <DetailItem label="Reseller">{item.properties?.reseller || '–'}</DetailItem>
        {subscription ? <AdminConsole address={subscription.ResourceUIURL} /> : null}
      </dl>
      <Observed item={item} now={now} />
    </Card>
  )
}

/**
 * Time of the last reading from the asset's vendor. Renders nothing for an asset whose records are our own, which are
 * always up to date.
 */
function Observed({ item: { id, vendor, observedTime: at }, now }: { item: AssetListItem; now: number }) {
  if (!vendor || vendor.name === 'built-in') return null
  return (
    <div className="border-t border-line px-4 py-2.5 text-xs text-ink-3 tabular-nums">
      <p>
        {at === undefined
          ? `Not read from ${vendor.label} yet.`
          : `Read from ${vendor.label} ${whenText(at, now)}.`}
      </p>
      <ReadAgain id={id} label={vendor.label} />
    </div>
  )
}

/** Returns `12 minutes ago (20 Nov 2026, 13:07 UTC)`; after a day, only the date. */
function whenText(at: number, now: number): string {
  const moment = `${dayText(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`
  const ago = agoText(at, now)
  return ago.startsWith('on ') ? `on ${moment}` : `${ago} (${moment})`
}

function SubscriptionDetails({ subscription }: { subscription: Subscription }) {
  const { Seats, Plan } = subscription
  const { NumberOfSeats: purchased, MaximumNumberOfSeats: maximum, LicensedNumberOfSeats: assigned } = Seats
  const count = (value: number) => value.toLocaleString('en')
  return (
    <>
      <DetailItem label="Plan">{planName(subscription)}</DetailItem>
      <DetailItem label="Purchased">{count(purchased)}</DetailItem>
      {maximum === purchased ? null : <DetailItem label="At most">{count(maximum)}</DetailItem>}
      <DetailItem label="Assigned">{count(assigned)}</DetailItem>
      <DetailItem label="Unassigned">{count(Math.max(0, purchased - assigned))}</DetailItem>
      <DetailItem label="Renewal">
        {planEnd(subscription) ?? (Plan.IsCommitmentPlan ? 'Unknown' : 'No commitment')}
      </DetailItem>
    </>
  )
}

function AdminConsole({ address }: { address: string }) {
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? '')) return null
  return (
    <DetailItem label="Admin console">
      <a
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        className="rounded-sm text-accent underline underline-offset-2"
      >
        Open vendor console
      </a>
    </DetailItem>
  )
}

function DetailItem({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 text-sm">
      <dt className="shrink-0 text-ink-3">{label}</dt>
      <dd className="min-w-0 text-right wrap-anywhere">{children}</dd>
    </div>
  )
}
