import type { Metadata } from 'next'
import { NeedsMail } from '#components/notifications/mail-switch.tsx'
import { NeedsScreen } from '#components/notifications/needs-screen.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { MoreMenu } from '#components/ui/more-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { listNeeds, readNeedsMail } from '#lib/notifications/client.ts'
import { readNeedsMail as readMail } from '#lib/notifications/needs/operations.ts'
import { requireCaller } from './caller.ts'
import { Hydrated } from './hydrated.tsx'
import { currentNeeds } from './needs.ts'
import { requestMeta } from './request-meta.ts'
import { Streamed, settleWithin } from './streamed.tsx'

export const metadata: Metadata = { title: 'Home' }

export default async function Page() {
  const caller = await requireCaller('/')
  if (caller.roles.length === 0)
    return (
      <>
        <PageHeader title={`Welcome, ${caller.name}`} />
        <Card>
          <EmptyState title="You have no role yet, so there is nothing to show.">
            <p>
              Ask an admin of {caller.customerName} for the role IT Manager (licenses) or Finance User
              (invoices), then open this page again.
            </p>
          </EmptyState>
        </Card>
      </>
    )
  const mail = readMail(caller, { params: {}, query: {}, body: undefined }, await requestMeta())
  const answer = await settleWithin(Promise.all([currentNeeds(), mail]))
  return (
    <>
      <PageHeader
        title="What needs you"
        subtitle={`At ${caller.customerName}, as far as your roles let you see to it.`}
        actions={<MoreMenu path={listNeeds.path({})} />}
      />
      <Streamed answer={answer} fallback={<RowsWaiting />}>
        {([needs, { body }]) => (
          <Hydrated
            answers={[
              [listNeeds.key({}), needs],
              [readNeedsMail.key({}), body],
            ]}
          >
            <NeedsScreen />
            <NeedsMail email={caller.email} />
          </Hydrated>
        )}
      </Streamed>
    </>
  )
}
