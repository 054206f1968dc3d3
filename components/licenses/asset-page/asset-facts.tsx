import type { ReactNode } from 'react'
import { planEnd, planName, type Subscription } from '#components/licenses/assets/labels.ts'
import { agoText, Day } from '#components/platform/values/times.tsx'
import { Card } from '#components/ui/card.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { ReadAgain } from './read-again.tsx'

/** What is known of an asset, at a glance, and how fresh it is at the time `now` (epoch milliseconds). */
export function AssetFacts({ item, now }: { item: AssetListItem; now: number }) {
  const subscription = item.properties?.subscription
  return (
    <Card>
      <dl aria-label="Facts" className="grid gap-x-8 gap-y-2 px-4 py-3.5 md:max-xl:grid-cols-2">
        {subscription ? <SubscriptionFacts subscription={subscription} /> : null}
        {subscription ? null : <Fact label="Licenses">No licenses</Fact>}
        <Fact label="Created">
          <Day at={item.createTime} />
        </Fact>
        {item.vendor && item.vendor.name !== 'built-in' ? (
          <Fact label="Vendor">{item.vendor.label}</Fact>
        ) : null}
        <Fact label="Reseller">{item.properties?.reseller || '–'}</Fact>
        {subscription ? <AdminConsole address={subscription.ResourceUIURL} /> : null}
      </dl>
      <Observed item={item} now={now} />
    </Card>
  )
}

/** When its vendor last told of it. Nothing where the books are ours, which are always fresh. */
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

/** `12 minutes ago (20 Nov 2026, 13:07 UTC)`; from a day on the date alone. */
function whenText(at: number, now: number): string {
  const moment = `${dayText(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`
  const ago = agoText(at, now)
  return ago.startsWith('on ') ? `on ${moment}` : `${ago} (${moment})`
}

function SubscriptionFacts({ subscription }: { subscription: Subscription }) {
  const { Seats, Plan, PurchaseOrderID } = subscription
  const { NumberOfSeats: purchased, MaximumNumberOfSeats: maximum, LicensedNumberOfSeats: assigned } = Seats
  const count = (value: number) => value.toLocaleString('en')
  return (
    <>
      <Fact label="Plan">{planName(subscription)}</Fact>
      <Fact label="Purchased">{count(purchased)}</Fact>
      {maximum === purchased ? null : <Fact label="At most">{count(maximum)}</Fact>}
      <Fact label="Assigned">{count(assigned)}</Fact>
      <Fact label="Idle">{count(Math.max(0, purchased - assigned))}</Fact>
      <Fact label="Renewal">
        {planEnd(subscription) ?? (Plan.IsCommitmentPlan ? 'Not known' : 'No commitment')}
      </Fact>
      <Fact label="Purchase order">{PurchaseOrderID || '–'}</Fact>
    </>
  )
}

function AdminConsole({ address }: { address: string }) {
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? '')) return null
  return (
    <Fact label="Admin console">
      <a
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        className="rounded-sm text-accent underline underline-offset-2"
      >
        Open at the vendor
      </a>
    </Fact>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 text-sm">
      <dt className="shrink-0 text-ink-3">{label}</dt>
      <dd className="min-w-0 text-right wrap-anywhere tabular-nums">{children}</dd>
    </div>
  )
}
