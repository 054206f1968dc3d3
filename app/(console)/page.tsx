import { redirect } from 'next/navigation'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { may } from '#lib/access/rules.ts'
import { requireCaller } from './caller.ts'
import { SCREENS } from './screens.ts'

export default async function Page() {
  const caller = await requireCaller('/')
  const first = SCREENS.find(({ permission }) => may(caller, permission))
  if (first) redirect(first.href)
  return (
    <>
      <PageHead title={`Welcome, ${caller.name}`} />
      <Card>
        <EmptyState title="You have no role yet, so there is nothing to show.">
          <p>
            Ask an admin of {caller.customerName} for the role IT Manager (licenses) or Finance User
            (invoices), then open this page again.
          </p>
        </EmptyState>
      </Card>
    </>
  )
}
