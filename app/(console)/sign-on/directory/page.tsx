import type { Metadata } from 'next'
import { Directory } from '#components/identity/directories/directory.tsx'
import { SignOnTabs } from '#components/identity/sign-on/sign-on-tabs.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { readDirectory } from '#lib/identity/client.ts'
import * as operations from '#lib/identity/directories/operations.ts'
import { readGiving } from '#lib/identity/members/operations.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { type SearchParams, searchOf } from '../../address.ts'
import { requireCaller } from '../../caller.ts'
import { Hydrated } from '../../hydrated.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'
import { Streamed, settleWithin } from '../../streamed.tsx'

export const metadata: Metadata = { title: 'Directory' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const caller = await requireCaller(pathWith('/sign-on/directory', await searchOf(searchParams)))
  if (!may(caller, 'members-manager'))
    return <MissingRole title="Directory" caller={caller} permission="members-manager" />
  const input = { params: {}, query: {}, body: undefined }
  const answers = Promise.all([
    operations.readDirectory(caller, input, await requestMeta()),
    readGiving(caller),
  ])
  const answer = await settleWithin(answers)
  return (
    <>
      <PageHeader
        title="Single sign-on"
        subtitle={`How a directory of ${caller.customerName} adds and removes members`}
        actions={<CopyRequest path={readDirectory.path({})} />}
      />
      <SignOnTabs current="/sign-on/directory" />
      <Streamed answer={answer} fallback={<RowsWaiting />}>
        {([{ body }, giving]) => (
          <Hydrated answers={[[readDirectory.key({}), body]]}>
            <Directory giving={giving} />
          </Hydrated>
        )}
      </Streamed>
    </>
  )
}
