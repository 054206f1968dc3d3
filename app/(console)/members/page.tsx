import type { Metadata } from 'next'
import { pathWith } from '#components/filters/list-screen.ts'
import { PriceVisibility } from '#components/license-prices/price-visibility.tsx'
import { Members } from '#components/members/members.tsx'
import { DemandFactor } from '#components/second-factors/demand-factor.tsx'
import { MoreMenu } from '#components/ui/more-menu.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { may } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import { readPriceVisibility as readVisibility } from '#lib/license-prices/operations.ts'
import { readPriceVisibility } from '#lib/license-prices/queries.ts'
import * as contract from '#lib/members/contract.ts'
import * as operations from '#lib/members/operations.ts'
import { listMembers } from '#lib/members/queries.ts'
import { readFactorDemand as readDemand } from '#lib/second-factors/operations.ts'
import { readFactorDemand } from '#lib/second-factors/queries.ts'
import { readQuery, type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { asInvalid, InvalidView } from '../invalid-view.tsx'
import { MissingRole } from '../missing-role.tsx'
import { traceOf } from '../trace.ts'

export const metadata: Metadata = { title: 'Members' }

const INVALID = { title: 'Members', what: 'members', path: '/members' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/members', search))
  if (!may(caller, 'members-manager')) {
    return <MissingRole title="Members" caller={caller} permission="members-manager" />
  }
  const view = await readQuery(contract.listMembers, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const input = { params: {}, query: view, body: undefined }
  const nothing = { params: {}, query: {}, body: undefined }
  const [list, giving, demand, visibility] = await Promise.all([
    operations.listMembers(caller, input, await traceOf()).catch(asInvalid),
    operations.readGiving(caller),
    readDemand(caller, nothing, await traceOf()),
    readVisibility(caller, nothing, await traceOf()),
  ])
  if (list instanceof Problem) return <InvalidView {...INVALID} problem={list} />
  return (
    <>
      <PageHead
        title="Members"
        subtitle={`Who may sign in at ${caller.customerName}, what they may do, and who has not come yet.`}
        actions={<MoreMenu path={listMembers.path({ query: view })} />}
      />
      <Hydrated
        answers={[
          [listMembers.key({ query: view }), list.body],
          [readFactorDemand.key({}), demand.body],
          [readPriceVisibility.key({}), visibility.body],
        ]}
      >
        <Members view={view} giving={giving} self={caller.id} now={Date.now()} />
        <DemandFactor />
        <PriceVisibility />
      </Hydrated>
    </>
  )
}
