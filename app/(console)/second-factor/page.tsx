import type { Metadata } from 'next'
import { SecondFactors } from '#components/identity/second-factors/second-factors.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { listFactors } from '#lib/identity/client.ts'
import * as operations from '#lib/identity/second-factors/operations.ts'
import { type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { requestMeta } from '../request-meta.ts'
import { Streamed, settleWithin } from '../streamed.tsx'

export const metadata: Metadata = { title: 'Two-step verification' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/second-factor', search))
  const input = { params: {}, query: {}, body: undefined }
  const answer = await settleWithin(operations.listFactors(caller, input, await requestMeta()))
  return (
    <>
      <PageHeader
        title="Two-step verification"
        subtitle="Add an authenticator app or a passkey to protect your account."
      />
      <Streamed answer={answer} fallback={<RowsWaiting />}>
        {({ body }) => (
          <Hydrated answers={[[listFactors.key({}), body]]}>
            <SecondFactors />
          </Hydrated>
        )}
      </Streamed>
    </>
  )
}
