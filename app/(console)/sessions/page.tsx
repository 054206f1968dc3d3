import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { Sessions } from '#components/identity/sessions/sessions.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { listSessions } from '#lib/identity/client.ts'
import * as contract from '#lib/identity/sessions/contract.ts'
import * as operations from '#lib/identity/sessions/operations.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { maySeeOthers } from '#lib/platform/caller/rules.ts'
import { readQuery, type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { asInvalid, InvalidView, StreamedRows } from '../invalid-view.tsx'
import { requestMeta } from '../request-meta.ts'
import { settleWithin } from '../streamed.tsx'

export const metadata: Metadata = { title: 'Sessions' }

const INVALID = { title: 'Sessions', label: 'sessions', path: '/sessions' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/sessions', search))
  const view = await readQuery(contract.listSessions, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const maySeeAll = maySeeOthers(caller)
  // Members without Admin see only their own sessions.
  if (view.whose === 'all' && !maySeeAll) redirect('/sessions')
  const input = { params: {}, query: view, body: undefined }
  const answer = await settleWithin(
    operations.listSessions(caller, input, await requestMeta()).catch(asInvalid),
  )
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  return (
    <>
      <PageHeader
        title="Sessions"
        subtitle={
          view.whose === 'all'
            ? `Who is signed in at ${caller.customerName}, and where. Signing someone out takes effect immediately.`
            : 'Where you are signed in. Sign out devices you don’t recognize, then change your password.'
        }
      />
      <StreamedRows answer={answer} invalid={INVALID}>
        {(list) => (
          <Hydrated answers={[[listSessions.key({ query: view }), list.body]]}>
            <Sessions
              view={view}
              maySeeAll={maySeeAll}
              tools={<CopyRequest path={listSessions.path({ query: view })} />}
            />
          </Hydrated>
        )}
      </StreamedRows>
    </>
  )
}
