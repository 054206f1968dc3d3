import type { Metadata } from 'next'
import { Profiles } from '#components/billing/posting-details/profiles.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { listBillingProfiles } from '#lib/billing/client.ts'
import { listBillingProfiles as operation } from '#lib/billing/posting-details/operations.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { requireCaller } from '../../caller.ts'
import { Hydrated } from '../../hydrated.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'
import { Streamed, settleWithin } from '../../streamed.tsx'

const TITLE = 'Billing profiles'
export const metadata: Metadata = { title: TITLE }

export default async function Page() {
  const caller = await requireCaller('/invoices/profiles')
  if (!may(caller, 'invoice-viewer')) {
    return <MissingRole title={TITLE} caller={caller} permission="invoice-viewer" />
  }
  const answer = await settleWithin(
    operation(caller, { params: {}, query: {}, body: undefined }, await requestMeta()),
  )
  return (
    <>
      <PageHeader
        breadcrumb={{ href: '/invoices', name: 'Invoices' }}
        title={TITLE}
        subtitle="Defaults for new invoices"
        actions={<CopyRequest path={listBillingProfiles.path({})} />}
      />
      <Streamed answer={answer} fallback={<RowsWaiting />}>
        {({ body }) => (
          <Hydrated answers={[[listBillingProfiles.key({}), body]]}>
            <Profiles maySet={may(caller, 'posting-editor')} />
          </Hydrated>
        )}
      </Streamed>
    </>
  )
}
