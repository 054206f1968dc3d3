import type { Metadata } from 'next'
import { SignOn } from '#components/identity/sign-on/sign-on.tsx'
import { SignOnTabs } from '#components/identity/sign-on/sign-on-tabs.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { readSignOn } from '#lib/identity/client.ts'
import { readGiving } from '#lib/identity/members/operations.ts'
import * as operations from '#lib/identity/single-sign-on/operations.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { MissingRole } from '../missing-role.tsx'
import { requestMeta } from '../request-meta.ts'
import { Streamed, settleWithin } from '../streamed.tsx'

export const metadata: Metadata = { title: 'Single sign-on' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const caller = await requireCaller(pathWith('/sign-on', await searchOf(searchParams)))
  if (!may(caller, 'members-manager'))
    return <MissingRole title="Single sign-on" caller={caller} permission="members-manager" />
  const input = { params: {}, query: {}, body: undefined }
  const answers = Promise.all([operations.readSignOn(caller, input, await requestMeta()), readGiving(caller)])
  const answer = await settleWithin(answers)
  return (
    <>
      <PageHeader
        title="Single sign-on"
        subtitle={`Let members of ${caller.customerName} sign in with your identity provider`}
        actions={<CopyRequest path={readSignOn.path({})} />}
      />
      <SignOnTabs current="/sign-on" />
      <Streamed answer={answer} fallback={<RowsWaiting />}>
        {([{ body }, giving]) => (
          <Hydrated answers={[[readSignOn.key({}), body]]}>
            <SignOn giving={giving} />
          </Hydrated>
        )}
      </Streamed>
    </>
  )
}
