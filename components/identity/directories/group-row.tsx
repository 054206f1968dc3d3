import { type Giving, profilesText, rolesText } from '#components/identity/members/words.ts'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { countText } from '#components/ui/count-text.ts'
import { visible } from '#components/ui/visible.ts'
import type { Group } from '#lib/identity/directories/contract.ts'

/** A group, who is in it, and what it gives. */
export function GroupRow({
  group,
  giving,
  onMap,
  onUnmap,
}: {
  group: Group
  giving: Giving
  onMap: () => void
  onUnmap: () => void
}) {
  const { members, isMapped, roles, billingProfiles } = group
  const name = visible(group.name)
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2.5 border-t border-line px-5 py-4">
      <div className="min-w-0 flex-1 basis-60">
        <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-[550] wrap-anywhere">
          {name}
          {isMapped ? null : <Badge>Not mapped</Badge>}
        </h3>
        <p className="text-sm wrap-anywhere text-ink-3">
          {members === 1 ? '1 member' : `${countText(members)} members`}
          {isMapped
            ? `: ${rolesText(roles)}. Billing profiles: ${profilesText(billingProfiles, giving)}`
            : null}
        </p>
      </div>
      <div className="flex gap-2">
        <Button onClick={onMap} aria-label={`${isMapped ? 'Change' : 'Map'} ${name}`}>
          {isMapped ? 'Change' : 'Map'}
        </Button>
        {isMapped ? (
          <Button look="quiet" onClick={onUnmap} aria-label={`Unmap ${name}`}>
            Unmap
          </Button>
        ) : null}
      </div>
    </li>
  )
}
