import type { ReactNode } from 'react'
import { Day } from '#components/dates/day.tsx'
import { Card } from '#components/ui/card.tsx'
import type { AssetListItem } from '#lib/assets/contract.ts'
import { planEnd, planName, type Subscription } from './plan.ts'

/** What is known of an asset, at a glance. */
export function AssetFacts({ item }: { item: AssetListItem }) {
  const subscription = item.properties?.subscription
  return (
    <Card>
      <dl aria-label="Facts" className="grid gap-x-8 gap-y-2 px-4 py-3.5 md:max-xl:grid-cols-2">
        {subscription ? <SubscriptionFacts subscription={subscription} /> : null}
        {subscription ? null : <Fact label="Licenses">No licenses</Fact>}
        <Fact label="Created">
          <Day at={item.createTime} />
        </Fact>
        <Fact label="Reseller">{item.properties?.reseller || '–'}</Fact>
        {subscription ? <AdminConsole address={subscription.ResourceUIURL} /> : null}
      </dl>
    </Card>
  )
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
