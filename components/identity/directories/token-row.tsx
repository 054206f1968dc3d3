import { rolesText } from '#components/identity/members/words.ts'
import { Day } from '#components/platform/values/day.tsx'
import { Moment } from '#components/platform/values/moment.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { visible } from '#components/ui/visible.ts'
import type { Token } from '#lib/identity/directories/contract.ts'

const ENDED = { EXPIRED: 'Expired', REVOKED: 'Revoked' } as const

/** A token: what it may give, when it was used last, and until when it holds. */
export function TokenRow({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { hint, roles, status, expireTime, lastUseTime } = token
  const name = visible(token.name)
  const isActive = status === 'ACTIVE'
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2.5 border-t border-line px-5 py-4">
      <div className="min-w-0 flex-1 basis-60">
        <h3
          className={`flex flex-wrap items-center gap-x-2.5 gap-y-1 font-[550] wrap-anywhere ${isActive ? '' : 'text-ink-2'}`}
        >
          {name}
          <code className="text-xs font-normal text-ink-3">{hint}</code>
          {isActive ? null : <Badge>{ENDED[status]}</Badge>}
        </h3>
        <p className="text-sm text-ink-3">May give: {rolesText(roles)}</p>
        <p className="text-sm text-ink-3">
          {lastUseTime === undefined ? (
            'Never used'
          ) : (
            <>
              Last use <Moment at={lastUseTime} /> UTC
            </>
          )}
          {isActive ? ', ' : null}
          {isActive && expireTime === undefined ? 'without an end' : null}
          {isActive && expireTime !== undefined ? (
            <>
              ends on <Day at={expireTime} />
            </>
          ) : null}
        </p>
      </div>
      {isActive ? (
        <Button onClick={onRevoke} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      ) : null}
    </li>
  )
}
