import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { Keys } from '#components/identity/keys/keys.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { MoreMenu } from '#components/ui/more-menu.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { listOwnProfiles } from '#lib/billing/posting-details/operations.ts'
import { listKeys } from '#lib/identity/client.ts'
import * as contract from '#lib/identity/keys/contract.ts'
import * as operations from '#lib/identity/keys/operations.ts'
import { givableRoles, maySeeOthers } from '#lib/identity/keys/rules.ts'
import { keySettings } from '#lib/identity/settings.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { readQuery, type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { asInvalid, InvalidNote, InvalidView } from '../invalid-view.tsx'
import { Late, soon } from '../late.tsx'
import { traceOf } from '../trace.ts'

export const metadata: Metadata = { title: 'API keys' }

const INVALID = { title: 'API keys', what: 'keys', path: '/keys' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/keys', search))
  const view = await readQuery(contract.listKeys, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const maySeeAll = maySeeOthers(caller)
  // Their own are what they may see.
  if (view.whose === 'all' && !maySeeAll) redirect('/keys')
  const input = { params: {}, query: view, body: undefined }
  const answers = Promise.all([operations.listKeys(caller, input, await traceOf()), listOwnProfiles(caller)])
  const answer = await soon(answers.catch(asInvalid))
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  const issuer = {
    id: caller.id,
    roles: givableRoles(caller),
    isAdmin: maySeeAll,
    customer: caller.customerName,
    limits: keySettings(),
  }
  return (
    <>
      <PageHead
        title="API keys"
        subtitle={
          view.whose === 'all'
            ? `What programs of ${caller.customerName} get in with. Whose key you revoke is out at once.`
            : 'What your programs get in with. A key never opens more than you may.'
        }
        actions={<MoreMenu path={listKeys.path({ query: view })} />}
      />
      <Late answer={answer} fallback={<RowsWaiting />}>
        {(found) =>
          found instanceof Problem ? (
            <InvalidNote {...INVALID} problem={found} />
          ) : (
            <Hydrated answers={[[listKeys.key({ query: view }), found[0].body]]}>
              <Keys
                view={view}
                maySeeAll={maySeeAll}
                issuer={{ ...issuer, profiles: found[1].map(({ id, name }) => ({ id, name })) }}
              />
            </Hydrated>
          )
        }
      </Late>
    </>
  )
}
