import type { Metadata } from 'next'
import { pathWith } from '#components/filters/list-screen.ts'
import { SecondFactors } from '#components/second-factors/second-factors.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import * as operations from '#lib/second-factors/operations.ts'
import { listFactors } from '#lib/second-factors/queries.ts'
import { type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { traceOf } from '../trace.ts'

export const metadata: Metadata = { title: 'Second factor' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/second-factor', search))
  const input = { params: {}, query: {}, body: undefined }
  const list = await operations.listFactors(caller, input, await traceOf())
  return (
    <>
      <PageHead
        title="Second factor"
        subtitle="What proves that it is you, beside your password: a code of an app, or a passkey."
      />
      <Hydrated answers={[[listFactors.key({}), list.body]]}>
        <SecondFactors />
      </Hydrated>
    </>
  )
}
