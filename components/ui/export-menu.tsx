'use client'

import { Download as DownloadIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { TOOL_BUTTON } from './filter-button.ts'
import { MENU_ITEM, Menu } from './menu.tsx'
import { ToolLabel } from './tool-label.tsx'

/**
 * Button with a menu of the file formats of a screen's data.
 * @param files by display name, in the order of the menu
 * @param more content below the files; its argument closes the menu
 */
export function ExportMenu({
  files,
  preload,
  more,
}: {
  files: Record<string, string>
  /** Fetches the data of `more`, as soon as the user is about to open the menu. */
  preload?: () => void
  more?: (close: () => void) => ReactNode
}) {
  return (
    <Menu
      side="under-right"
      preload={preload}
      className="w-64"
      buttonClassName={TOOL_BUTTON}
      button={
        <ToolLabel icon={DownloadIcon} matters>
          Export
        </ToolLabel>
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

/** Menu entry that downloads a file. */
export function Download(props: { href: string; onClick: () => void; children: string }) {
  return <a download {...props} className={MENU_ITEM} />
}
