'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { areKeysOn, setKeysEnabled } from '#components/ui/keys.ts'
import { Switch } from '#components/ui/switch.tsx'

const KEYS = [
  [['Ctrl K', '⌘ K'], 'Search, or go to any screen'],
  [['/'], 'Search the list of this screen'],
  [['j', 'k'], 'Next row, row before'],
  [['Enter'], 'Open the row'],
  [['g h', 'g a', 'g i'], 'Home, assets, invoices'],
  [['?'], 'This list'],
] as const

/** Shortcuts that work on every screen, with the switch for single-letter ones. */
export function KeyList({ onClose }: { onClose: () => void }) {
  const [areOn, setOn] = useState(areKeysOn)
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="my-4 grid grid-cols-[auto_1fr] items-baseline gap-x-5 gap-y-2">
        {KEYS.map(([keys, what]) => (
          <div key={what} className="contents">
            <dt className="flex gap-1.5">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="rounded-mark border border-line-2 bg-sunken px-1.5 py-0.5 font-mono text-xs whitespace-nowrap"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd className="text-ink-2">{what}</dd>
          </div>
        ))}
      </dl>
      <Switch
        label="Keys of one letter"
        checked={areOn}
        onChange={(next) => {
          setKeysEnabled(next)
          setOn(next)
        }}
      >
        {areOn ? 'They work wherever nothing is typed.' : 'Only Ctrl K and ⌘ K work.'} In this browser.
      </Switch>
      <div className="mt-5 text-right">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
