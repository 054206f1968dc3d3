import type { Metadata } from 'next'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { AddWebhook, Webhooks } from '#components/notifications/webhooks/webhooks.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { listCallerProfiles } from '#lib/billing/posting-details/operations.ts'
import { listWebhooks } from '#lib/notifications/webhooks/client.ts'
import * as operations from '#lib/notifications/webhooks/operations.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { MissingRole } from '../missing-role.tsx'
import { requestMeta } from '../request-meta.ts'
import { Streamed, settleWithin } from '../streamed.tsx'

export const metadata: Metadata = { title: 'Webhooks' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const caller = await requireCaller(pathWith('/webhooks', await searchOf(searchParams)))
  if (!may(caller, 'members-manager'))
    return <MissingRole title="Webhooks" caller={caller} permission="members-manager" />
  const input = { params: {}, query: {}, body: undefined }
  const answers = Promise.all([
    operations.listWebhooks(caller, input, await requestMeta()),
    listCallerProfiles(caller),
  ])
  const answer = await settleWithin(answers)
  return (
    <>
      <PageHeader
        title="Webhooks"
        subtitle="Send events to your own systems as they happen."
        actions={
          <>
            <CopyRequest path={listWebhooks.path({})} />
            <Streamed answer={answer} fallback={null}>
              {([, profiles]) => <AddWebhook profiles={namesOf(profiles)} />}
            </Streamed>
          </>
        }
      />
      <Streamed answer={answer} fallback={<RowsWaiting />}>
        {([{ body }, profiles]) => (
          <Hydrated answers={[[listWebhooks.key({}), body]]}>
            <Webhooks profiles={namesOf(profiles)} />
          </Hydrated>
        )}
      </Streamed>
    </>
  )
}

function namesOf(profiles: readonly { id: string; name: string }[]) {
  return profiles.map(({ id, name }) => ({ id, name }))
}
