import type { Metadata } from 'next'
import { BulkScreen } from '#components/licenses/license-lists/bulk-screen.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { pricesOfPlans } from '#lib/costs/idle-licenses/operations.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { requireCaller } from '../../caller.ts'
import { MissingRole } from '../../missing-role.tsx'
import { Streamed, settleWithin } from '../../streamed.tsx'

const title = 'Bulk edit'

export const metadata: Metadata = { title }

export default async function Page() {
  const caller = await requireCaller('/assets/bulk')
  if (!may(caller, 'licenses-manager')) {
    return <MissingRole title={title} caller={caller} permission="licenses-manager" />
  }
  const answer = await settleWithin(pricesOfPlans(caller))
  return (
    <>
      <PageHeader
        breadcrumb={{ href: '/assets', name: 'Assets' }}
        title={title}
        subtitle="Set the licenses of many assets from a list. Each row is checked, and nothing is sent before you confirm."
      />
      <Streamed answer={answer} fallback={<RowsWaiting />}>
        {(prices) => <BulkScreen member={caller.id} prices={prices} />}
      </Streamed>
    </>
  )
}
