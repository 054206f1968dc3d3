import type { Metadata } from 'next'
import { BulkScreen } from '#components/license-lists/bulk-screen.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { may } from '#lib/access/rules.ts'
import { pricesOfPlans } from '#lib/idle-licenses/operations.ts'
import { requireCaller } from '../../caller.ts'
import { MissingRole } from '../../missing-role.tsx'

const title = 'Change several assets'

export const metadata: Metadata = { title }

export default async function Page() {
  const caller = await requireCaller('/assets/bulk')
  if (!may(caller, 'licenses-manager')) {
    return <MissingRole title={title} caller={caller} permission="licenses-manager" />
  }
  return (
    <>
      <PageHead
        crumb={{ href: '/assets', name: 'Assets' }}
        title={title}
        subtitle="Set the licenses of many assets from a list. Each row is checked, and nothing is sent before you confirm."
      />
      <BulkScreen member={caller.id} prices={await pricesOfPlans(caller)} />
    </>
  )
}
