import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { CreateKey } from '#components/identity/keys/issue-key.tsx'
import { Keys } from '#components/identity/keys/keys.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { listCallerProfiles } from '#lib/billing/posting-details/operations.ts'
import { listKeys } from '#lib/identity/client.ts'
import * as contract from '#lib/identity/keys/contract.ts'
import * as operations from '#lib/identity/keys/operations.ts'
import { givableRoles } from '#lib/identity/keys/rules.ts'
import { keySettings } from '#lib/identity/settings.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { maySeeOthers } from '#lib/platform/caller/rules.ts'
import { readQuery, type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { asInvalid, InvalidView, StreamedRows } from '../invalid-view.tsx'
import { requestMeta } from '../request-meta.ts'
import { Streamed, settleWithin } from '../streamed.tsx'

export const metadata: Metadata = { title: 'API keys' }

const INVALID = { title: 'API keys', label: 'keys', path: '/keys' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/keys', search))
  const view = await readQuery(contract.listKeys, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const maySeeAll = maySeeOthers(caller)
  // Members without Admin see only their own keys.
  if (view.whose === 'all' && !maySeeAll) redirect('/keys')
  const input = { params: {}, query: view, body: undefined }
  const answers = Promise.all([
    operations.listKeys(caller, input, await requestMeta()),
    listCallerProfiles(caller),
  ])
  const answer = await settleWithin(answers.catch(asInvalid))
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
      <PageHeader
        title="API keys"
        subtitle={
          view.whose === 'all'
            ? `All keys of ${caller.customerName}. Revoking a key takes effect immediately.`
            : 'Keys give programs access to the API, limited to your own permissions.'
        }
        actions={
          <>
            <ButtonLink href="/developers">Documentation</ButtonLink>
            <Streamed answer={answer} fallback={null}>
              {(result) =>
                result instanceof Problem ? null : (
                  <CreateKey issuer={{ ...issuer, profiles: profilesOf(result[1]) }} />
                )
              }
            </Streamed>
          </>
        }
      />
      <StreamedRows answer={answer} invalid={INVALID}>
        {(result) => (
          <Hydrated answers={[[listKeys.key({ query: view }), result[0].body]]}>
            <Keys
              view={view}
              maySeeAll={maySeeAll}
              issuer={{ ...issuer, profiles: profilesOf(result[1]) }}
              tools={<CopyRequest path={listKeys.path({ query: view })} />}
            />
          </Hydrated>
        )}
      </StreamedRows>
    </>
  )
}

/** Returns only names and ids of the profiles. */
function profilesOf(profiles: readonly { id: string; name: string }[]) {
  return profiles.map(({ id, name }) => ({ id, name }))
}
