import { Day, Moment } from '#components/platform/values/times.tsx'
import { Badge, type BadgeTone } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
  TIGHT_IN_PRINT,
} from '#components/ui/table.tsx'
import type { Member } from '#lib/identity/members/contract.ts'
import type { MemberState } from '#lib/identity/members/rules.ts'
import { factorsText, type Giving, profilesText, rolesText } from './labels.ts'

type MemberTableProps = {
  members: readonly Member[]
  giving: Giving
  /** Id of the viewing member. */
  self: string
  /** Present time in epoch milliseconds. */
  now: number
  pending: boolean
  onChange: (member: Member) => void
}

/** Hides the column between phones, where cells are stacked, and wide windows. */
const INLINE_CLASS = 'not-print:md:max-xl:hidden'

/** Members, newest first, each with a button that opens their dialog. */
export function MemberTable({ members, pending, ...rest }: MemberTableProps) {
  return (
    // Where long names need too much room, the columns scroll, not the page.
    <div className={`relative overflow-x-auto max-md:overflow-visible ${TIGHT_IN_PRINT}`}>
      <Table label="Members, newest first" pending={pending}>
        <TableHeader>
          <TableHeaderCell>Who</TableHeaderCell>
          <TableHeaderCell>Roles</TableHeaderCell>
          <TableHeaderCell className={INLINE_CLASS}>Billing profiles</TableHeaderCell>
          <TableHeaderCell>State</TableHeaderCell>
          <TableHeaderCell>Last sign-in (UTC)</TableHeaderCell>
          <TableHeaderCell aria-sort="descending" className={INLINE_CLASS}>
            Added <span aria-hidden="true">↓</span>
          </TableHeaderCell>
          <TableHeaderCell right>
            <span className="sr-only">Change</span>
          </TableHeaderCell>
        </TableHeader>
        <TableBody>
          {members.map((member) => (
            <MemberRow key={member.id} member={member} {...rest} />
          ))}
        </TableBody>
      </Table>
    </div>
  )
}

function MemberRow({
  member,
  giving,
  self,
  now,
  onChange,
}: Omit<MemberTableProps, 'members' | 'pending'> & { member: Member }) {
  const { id, email, roles, billingProfiles, state, lastSignInTime, createTime, addedBy } = member
  const { secondFactors } = member
  const name = escapeInvisible(member.name)
  return (
    <Row className={state === 'disabled' ? 'text-ink-2' : ''}>
      <RowHeaderCell className="wrap-anywhere not-print:md:min-w-38 not-print:xl:min-w-62">
        <span className="block font-[550]">
          {name}
          {id === self ? <span className="font-normal text-ink-3"> (you)</span> : null}
        </span>
        <span
          title={email}
          className="block text-xs text-ink-3 not-print:md:max-w-44 not-print:md:truncate not-print:xl:max-w-72"
        >
          {email}
        </span>
      </RowHeaderCell>
      <Cell className="text-ink-2 max-md:text-sm not-print:md:min-w-24">
        <span className="not-print:md:line-clamp-2" title={rolesText(roles)}>
          {rolesText(roles)}
        </span>
      </Cell>
      <Cell className={`wrap-anywhere text-ink-2 max-md:text-sm not-print:md:min-w-28 ${INLINE_CLASS}`}>
        <span className="text-ink-3 md:hidden">Billing profiles: </span>
        <span className="not-print:md:line-clamp-2" title={profilesText(billingProfiles, giving)}>
          {profilesText(billingProfiles, giving)}
        </span>
      </Cell>
      <Cell placement="right-1">
        <MemberStateCell member={member} now={now} />
      </Cell>
      <Cell className="text-ink-2 max-md:text-sm">
        <span className="text-ink-3 md:hidden">Last sign-in: </span>
        {lastSignInTime === undefined ? (
          <span className="text-ink-3">
            {state === 'invited' || addedBy !== undefined ? 'Not yet' : 'Unknown'}
          </span>
        ) : (
          <span className="whitespace-nowrap">
            <Moment at={lastSignInTime} />
          </span>
        )}
        {secondFactors ? (
          <span className="block text-xs text-ink-3 xl:whitespace-nowrap">{factorsText(secondFactors)}</span>
        ) : null}
      </Cell>
      <Cell className={`text-ink-2 max-md:text-sm ${INLINE_CLASS}`} placement="across">
        <span className="text-ink-3 md:hidden">Added </span>
        <Day at={createTime} />
        {addedBy === undefined ? null : (
          <span className="text-xs wrap-anywhere text-ink-3 md:block"> by {escapeInvisible(addedBy)}</span>
        )}
      </Cell>
      <Cell right placement="across" className="max-md:mt-1.5">
        <Button className="max-md:w-full" onClick={() => onChange(member)} aria-label={`Change ${name}`}>
          Change
        </Button>
      </Cell>
    </Row>
  )
}

export const STATE_TEXTS: Record<MemberState, string> = {
  invited: 'Invited',
  active: 'Active',
  disabled: 'Disabled',
}
const TONES: Record<MemberState, BadgeTone> = { invited: 'info', active: 'ok', disabled: 'mute' }

/**
 * Shows whether a member can sign in; for an invited member, until when the invitation is valid. `now` is in epoch
 * milliseconds.
 */
function MemberStateCell({ member, now }: { member: Member; now: number }) {
  const { state, inviteExpireTime: until, inviteMail } = member
  if (state !== 'invited') return <Badge tone={TONES[state]}>{STATE_TEXTS[state]}</Badge>
  if (until === undefined || until <= now) return <Badge tone="warn">Invitation expired</Badge>
  return (
    <>
      {inviteMail === 'refused' ? (
        <Badge tone="danger">Email rejected</Badge>
      ) : (
        <Badge tone={TONES[state]}>{STATE_TEXTS[state]}</Badge>
      )}
      <span className="block text-xs whitespace-nowrap text-ink-3">
        until <Day at={until} />
      </span>
    </>
  )
}
