import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { type Caller, may, type Permission, ROLE_NAMES, rolesWith } from '#lib/access/rules.ts'
import { SCREENS } from './screens.ts'

/** What stands on a page that the caller may not see: which role is needed, and where they can go. */
export function MissingRole({
  title,
  caller,
  permission,
}: {
  title: string
  caller: Caller
  permission: Permission
}) {
  const roles = caller.roles.map((role) => ROLE_NAMES[role]).join(' and ')
  const other = SCREENS.find((screen) => may(caller, screen.permission))
  return (
    <>
      <PageHead title={title} />
      <Card>
        <EmptyState
          title={`This page needs the role ${rolesWith(permission)}.`}
          action={other ? <ButtonLink href={other.href}>Go to {other.name.toLowerCase()}</ButtonLink> : null}
        >
          <p role="status">
            {roles ? `You have the role ${roles}.` : 'You have no role yet.'} An admin of{' '}
            {caller.customerName} can give you another.
          </p>
        </EmptyState>
      </Card>
    </>
  )
}
