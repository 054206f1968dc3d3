import type { Metadata } from 'next'
import { PriceVisibility } from '#components/costs/price-visibility.tsx'
import { Members } from '#components/identity/members/members.tsx'
import { DemandFactor } from '#components/identity/second-factors/demand-factor.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { MoreMenu } from '#components/ui/more-menu.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { readPriceVisibility } from '#lib/costs/client.ts'
import { readPriceVisibility as readVisibility } from '#lib/costs/license-prices/operations.ts'
import { listMembers, readFactorDemand } from '#lib/identity/client.ts'
import * as contract from '#lib/identity/members/contract.ts'
import * as operations from '#lib/identity/members/operations.ts'
import { readFactorDemand as readDemand } from '#lib/identity/second-factors/operations.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { readQuery, type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { asInvalid, InvalidNote, InvalidView } from '../invalid-view.tsx'
import { Late, soon } from '../late.tsx'
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
  const answers = Promise.all([
    operations.listMembers(caller, input, await traceOf()),
    operations.readGiving(caller),
    readDemand(caller, nothing, await traceOf()),
    readVisibility(caller, nothing, await traceOf()),
  ])
  const answer = await soon(answers.catch(asInvalid))
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  return (
    <>
      <PageHead
        title="Members"
        subtitle={`Who may sign in at ${caller.customerName}, what they may do, and who has not come yet.`}
        actions={<MoreMenu path={listMembers.path({ query: view })} />}
      />
      <Late answer={answer} fallback={<RowsWaiting />}>
        {(found) =>
          found instanceof Problem ? (
            <InvalidNote {...INVALID} problem={found} />
          ) : (
            <Hydrated
              answers={[
                [listMembers.key({ query: view }), found[0].body],
                [readFactorDemand.key({}), found[2].body],
                [readPriceVisibility.key({}), found[3].body],
              ]}
            >
              <Members view={view} giving={found[1]} self={caller.id} now={Date.now()} />
              <DemandFactor />
              <PriceVisibility />
            </Hydrated>
          )
        }
      </Late>
    </>
  )
}
