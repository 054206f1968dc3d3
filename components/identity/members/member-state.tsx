import { Day } from '#components/platform/values/day.tsx'
import { Badge, type BadgeTone } from '#components/ui/badge.tsx'
import type { Member } from '#lib/identity/members/contract.ts'
import type { MemberState } from '#lib/identity/members/rules.ts'

export const STATE_TEXTS: Record<MemberState, string> = {
  invited: 'Invited',
  active: 'Active',
  disabled: 'Disabled',
}
const TONES: Record<MemberState, BadgeTone> = { invited: 'info', active: 'ok', disabled: 'mute' }

/** Whether a member can sign in; of who has not come yet, until when they can. `now` is in epoch milliseconds. */
export function MemberStateCell({ member, now }: { member: Member; now: number }) {
  const { state, inviteExpireTime: until, inviteMail } = member
  if (state !== 'invited') return <Badge tone={TONES[state]}>{STATE_TEXTS[state]}</Badge>
  if (until === undefined || until <= now) return <Badge tone="warn">Invitation is over</Badge>
  return (
    <>
      {inviteMail === 'refused' ? (
        <Badge tone="danger">Mail was refused</Badge>
      ) : (
        <Badge tone={TONES[state]}>{STATE_TEXTS[state]}</Badge>
      )}
      <span className="mt-1 block text-xs text-ink-3">
        until <Day at={until} />
      </span>
    </>
  )
}
