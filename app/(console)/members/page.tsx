import type { Metadata } from 'next'
import { PriceVisibility } from '#components/costs/price-visibility.tsx'
import { InviteMember } from '#components/identity/members/invite-member.tsx'
import { Members } from '#components/identity/members/members.tsx'
import { DemandFactor } from '#components/identity/second-factors/demand-factor.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
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
import { asInvalid, InvalidView, StreamedRows } from '../invalid-view.tsx'
import { MissingRole } from '../missing-role.tsx'
import { requestMeta } from '../request-meta.ts'
import { Streamed, settleWithin } from '../streamed.tsx'

export const metadata: Metadata = { title: 'Members' }

const INVALID = { title: 'Members', label: 'members', path: '/members' }

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
    operations.listMembers(caller, input, await requestMeta()),
    operations.readGiving(caller),
    readDemand(caller, nothing, await requestMeta()),
    readVisibility(caller, nothing, await requestMeta()),
  ])
  const answer = await settleWithin(answers.catch(asInvalid))
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  return (
    <>
      <PageHeader
        title="Members"
        subtitle={`People with access to ${caller.customerName}`}
        actions={
          <Streamed answer={answer} fallback={null}>
            {(result) => (result instanceof Problem ? null : <InviteMember giving={result[1]} />)}
          </Streamed>
        }
      />
      <StreamedRows answer={answer} invalid={INVALID}>
        {(result) => (
          <Hydrated
            answers={[
              [listMembers.key({ query: view }), result[0].body],
              [readFactorDemand.key({}), result[2].body],
              [readPriceVisibility.key({}), result[3].body],
            ]}
          >
            <Members
              view={view}
              giving={result[1]}
              self={caller.id}
              now={Date.now()}
              tools={<CopyRequest path={listMembers.path({ query: view })} />}
            />
            <DemandFactor />
            <PriceVisibility />
          </Hydrated>
        )}
      </StreamedRows>
    </>
  )
}
