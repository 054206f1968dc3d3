'use client'

import { Check, Copy, Ellipsis } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { buttonLook } from './button-look.ts'
import { requestText } from './copy-request.tsx'
import { MENU_ITEM, Menu } from './menu.tsx'
import { useCopy } from './use-copy.ts'

/**
 * What a page offers to few of its readers: the curl line that answers the same data as the screen shows, and as
 * `children` further `MoreLink`s.
 */
export function MoreMenu({ path, children }: { path: string; children?: ReactNode }) {
  const { said, copy } = useCopy(() => requestText(path))
  const Icon = said === 'copied' ? Check : Copy
  return (
    <Menu
      side="under-right"
      label="More"
      buttonClassName={buttonLook('plain', 'px-2!')}
      button={<Ellipsis aria-hidden="true" className="size-4" />}
    >
      {() => (
        <>
          {children}
          <button type="button" onClick={copy} className={MENU_ITEM}>
            <Icon aria-hidden="true" className="size-3.5 text-ink-3" />
            Copy as request
            <span role="status" className={said === 'refused' ? 'text-danger' : 'sr-only'}>
              {said === 'copied' ? 'Copied' : said === 'refused' ? 'Not copied: the browser refused' : ''}
            </span>
          </button>
        </>
      )}
    </Menu>
  )
}

/** A place that few go to, in a `MoreMenu`. */
export function MoreLink({ href, icon, children }: { href: string; icon: ReactNode; children: string }) {
  return (
    <Link href={href} prefetch={false} className={MENU_ITEM}>
      {icon}
      {children}
    </Link>
  )
}
