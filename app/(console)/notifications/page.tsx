import type { Metadata } from 'next'
import { Recipients } from '#components/notifications/recipients.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { listCallerProfiles } from '#lib/billing/posting-details/operations.ts'
import { listNoticeRecipients } from '#lib/notifications/recipients/client.ts'
import { listNoticeRecipients as operation } from '#lib/notifications/recipients/operations.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { MissingRole } from '../missing-role.tsx'
import { requestMeta } from '../request-meta.ts'
import { Streamed, settleWithin } from '../streamed.tsx'

const TITLE = 'Invoice emails'
export const metadata: Metadata = { title: TITLE }

export default async function Page() {
  const caller = await requireCaller('/notifications')
  if (!may(caller, 'members-manager')) {
    return <MissingRole title={TITLE} caller={caller} permission="members-manager" />
  }
  const answer = await settleWithin(
    Promise.all([
      operation(caller, { params: {}, query: {}, body: undefined }, await requestMeta()),
      listCallerProfiles(caller),
    ]),
  )
  return (
    <>
      <PageHeader
        title={TITLE}
        subtitle="Addresses that receive new invoices and reminders, by billing profile"
        actions={<CopyRequest path={listNoticeRecipients.path({})} />}
      />
      <Streamed answer={answer} fallback={<RowsWaiting />}>
        {([{ body }, profiles]) => (
          <Hydrated answers={[[listNoticeRecipients.key({}), body]]}>
            <Recipients profiles={profiles.map(({ id, name }) => ({ id, name }))} />
          </Hydrated>
        )}
      </Streamed>
    </>
  )
}
