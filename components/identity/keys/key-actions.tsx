'use client'

import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { MENU_ITEM, Menu } from '#components/ui/menu.tsx'
import type { Key } from '#lib/identity/keys/contract.ts'
import { decideRotation } from '#lib/identity/keys/rules.ts'
import type { Issuer } from './issuer.ts'
import { RenameKey, RevokeKey, RotateKey } from './key-dialogs.tsx'

const DIALOGS = { rename: RenameKey, rotate: RotateKey, revoke: RevokeKey }

/** Actions on a key. A revoked key can still be renamed: it stays in the list. */
export function KeyActions({
  target,
  issuer,
  onChanged,
}: {
  target: Key
  issuer: Issuer
  onChanged: () => void
}) {
  const [open, setOpen] = useState<keyof typeof DIALOGS>()
  const caller = { via: 'session', id: issuer.id, roles: issuer.isAdmin ? (['admin'] as const) : [] } as const
  const mayRotate = decideRotation(caller, { ...target, issuedBy: target.issuer?.id ?? null }).allowed
  const choices = [
    ['rename', 'Rename', true],
    ['rotate', 'Rotate', mayRotate],
    ['revoke', 'Revoke', target.status !== 'REVOKED'],
  ] as const
  const Opened = open && DIALOGS[open]
  return (
    <>
      <Menu
        label={`Actions for ${target.name}`}
        side="under-right"
        rootClassName="inline-block"
        buttonClassName="grid size-9 place-items-center rounded-control text-ink-2 hover:bg-sunken max-md:size-11"
        button={<Ellipsis aria-hidden="true" className="size-4.5" />}
      >
        {(close) =>
          choices
            .filter(([, , isThere]) => isThere)
            .map(([what, text]) => (
              <button
                key={what}
                type="button"
                className={MENU_ITEM}
                onClick={() => {
                  close()
                  setOpen(what)
                }}
              >
                {text}
              </button>
            ))
        }
      </Menu>
      {Opened ? <Opened target={target} onChanged={onChanged} onClose={() => setOpen(undefined)} /> : null}
    </>
  )
}
