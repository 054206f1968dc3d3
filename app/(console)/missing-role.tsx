import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import {
  type Caller,
  may,
  PERMISSION_NAMES,
  type Permission,
  ROLE_NAMES,
  rolesWith,
} from '#lib/platform/caller/rules.ts'
import { auditDenial } from '#lib/platform/history/requests.ts'
import { setPageStatus } from '../page-status.ts'
import { requestMeta } from './request-meta.ts'
import { SCREENS } from './screens.ts'

/**
 * Content of a page that the caller may not see, with the status 403: the required role, and where they can go. The attempt is recorded as
 * an audit event.
 */
export async function MissingRole({
  title,
  caller,
  permission,
}: {
  title: string
  caller: Caller
  permission: Permission
}) {
  setPageStatus(403)
  const denial = { call: title, code: 'permission_denied', permission: PERMISSION_NAMES[permission] }
  await auditDenial(caller, denial, (await requestMeta()).requestId)
  const roles = caller.roles.map((role) => ROLE_NAMES[role]).join(' and ')
  const other = SCREENS.find(({ permission: its }) => its !== null && may(caller, its))
  return (
    <>
      <PageHeader title={title} />
      <Card>
        <EmptyState
          title={`This page needs the role ${rolesWith(permission)}.`}
          action={other ? <ButtonLink href={other.href}>Go to {other.name.toLowerCase()}</ButtonLink> : null}
        >
          <p role="status">
            {roles ? `You have the role ${roles}.` : 'You have no role yet.'} An Admin of{' '}
            {caller.customerName} can give you {roles ? 'another' : 'one'}.
          </p>
        </EmptyState>
      </Card>
    </>
  )
}
