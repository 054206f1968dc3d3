import type { Metadata } from 'next'
import Link from 'next/link'
import { NeedsMail } from '#components/notifications/mail-switch.tsx'
import { NeedsScreen } from '#components/notifications/needs-screen.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
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
              Ask an Admin of {caller.customerName} for the role IT Manager (licenses) or Finance User
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
        title="Needs attention"
        subtitle={`${caller.customerName} · based on your roles`}
        actions={<CopyRequest path={listNeeds.path({})} />}
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
      <p className="mt-8 text-sm text-ink-3 print:hidden">
        To use the same data in your own programs, read the{' '}
        <Link href="/developers" prefetch={false} className="text-accent underline">
          documentation for developers
        </Link>
        .
      </p>
    </>
  )
}
