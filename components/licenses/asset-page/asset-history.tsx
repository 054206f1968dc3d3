import { ChangeTable } from '#components/licenses/activity/change-table.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Pager } from '#components/ui/pager.tsx'
import type { listLicenseChanges } from '#lib/licenses/license-changes/contract.ts'
import type { Output } from '#lib/platform/api/contract.ts'

/** Changes of one asset. `at` returns the address of a page by its token, of the newest without one. */
export function AssetHistory({
  changes,
  at,
}: {
  /** Absent: the address has a page token of another list. */
  changes: Output<typeof listLicenseChanges> | undefined
  at: (pageToken?: string) => string
}) {
  const { licenseChanges = [], previousPageToken: newer, pageToken: older } = changes ?? {}
  return (
    <section id="history" aria-label="History" className="scroll-mt-4">
      <Card>
        {licenseChanges.length > 0 ? <ChangeTable changes={licenseChanges} /> : null}
        {changes?.rowCount === 0 ? (
          <EmptyState title="No changes yet">
            <p>
              Each change that is made here or through the API is listed with who made it and its outcome.
            </p>
          </EmptyState>
        ) : null}
        {changes ? null : (
          <EmptyState
            title="This page of the history can’t be shown"
            action={<ButtonLink href={at()}>Show the newest changes</ButtonLink>}
          >
            <p>Its address is not complete, or belongs to another asset.</p>
          </EmptyState>
        )}
      </Card>
      <Pager newer={newer && at(newer)} older={older && at(older)} />
    </section>
  )
}
