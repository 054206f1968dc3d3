'use client'

import { ChevronDown } from 'lucide-react'
import { buttonLook } from './button-look.ts'
import { MENU_ITEM, Menu } from './menu.tsx'

/**
 * The files that a screen's data can be had as, under one button.
 * @param files by what people call them, in the order of the menu
 */
export function ExportMenu({ files }: { files: Record<string, string> }) {
  return (
    <Menu
      side="under-right"
      buttonClassName={buttonLook('plain')}
      button={
        <>
          Export
          <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </>
      }
    >
      {(close) =>
        Object.entries(files).map(([name, href]) => (
          <a key={name} download href={href} onClick={close} className={MENU_ITEM}>
            {name}
          </a>
        ))
      }
    </Menu>
  )
}
