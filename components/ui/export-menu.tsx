'use client'

import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonVariants } from './button-variants.ts'
import { MENU_ITEM, Menu } from './menu.tsx'

/**
 * The files that a screen's data can be had as, under one button.
 * @param files by what people call them, in the order of the menu
 * @param more below them, given what closes the menu
 */
export function ExportMenu({
  files,
  preload,
  more,
}: {
  files: Record<string, string>
  /** Fetches what `more` needs, for whoever is about to open the menu. */
  preload?: () => void
  more?: (close: () => void) => ReactNode
}) {
  return (
    <Menu
      side="under-right"
      preload={preload}
      className="w-64"
      buttonClassName={buttonVariants('plain')}
      button={
        <>
          Export
          <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </>
      }
    >
      {(close) => (
        <>
          {Object.entries(files).map(([name, href]) => (
            <Download key={name} href={href} onClick={close}>
              {name}
            </Download>
          ))}
          {more?.(close)}
        </>
      )}
    </Menu>
  )
}

/** A file in the menu. */
export function Download(props: { href: string; onClick: () => void; children: string }) {
  return <a download {...props} className={MENU_ITEM} />
}
