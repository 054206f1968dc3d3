'use client'

import { Check, Copy, Ellipsis } from 'lucide-react'
import { buttonVariants } from './button-variants.ts'
import { MENU_ITEM, Menu } from './menu.tsx'
import { useCopy } from './use-copy.ts'

/** Menu for advanced users: the curl command that returns the screen's data. */
export function MoreMenu({ path }: { path: string }) {
  const { copyState, copy } = useCopy(() => requestText(path))
  const Icon = copyState === 'copied' ? Check : Copy
  return (
    <Menu
      side="under-right"
      label="More"
      buttonClassName={buttonVariants('plain', 'px-2!')}
      button={<Ellipsis aria-hidden="true" className="size-4" />}
    >
      {() => (
        <button type="button" onClick={copy} className={MENU_ITEM}>
          <Icon aria-hidden="true" className="size-3.5 text-ink-3" />
          Copy as request
          <span role="status" className={copyState === 'refused' ? 'text-danger' : 'sr-only'}>
            {copyState === 'copied'
              ? 'Copied'
              : copyState === 'refused'
                ? 'Not copied: the browser refused'
                : ''}
          </span>
        </button>
      )}
    </Menu>
  )
}

/** Returns the curl command for a path of the API, at the address that the browser has open. */
function requestText(path: string): string {
  // A quote can't be part of a quoted shell word; in a URL it may be percent-encoded.
  const address = `${location.origin}${path}`.replaceAll("'", '%27')
  return `curl -H "Authorization: Bearer $API_KEY" '${address}'`
}
