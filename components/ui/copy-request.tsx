'use client'

import { Check, Terminal } from 'lucide-react'
import { buttonVariants } from './button-variants.ts'
import { useCopy } from './use-copy.ts'

/** Button for developers: copies the curl command that returns the screen's data. */
export function CopyRequest({ path }: { path: string }) {
  const { copyState, copy } = useCopy(() => requestText(path))
  const Icon = copyState === 'copied' ? Check : Terminal
  return (
    <>
      <button
        type="button"
        aria-label="Copy as request"
        title="Copy as request"
        onClick={copy}
        className={buttonVariants('icon')}
      >
        <Icon aria-hidden="true" className="size-3.5 text-ink-3" />
      </button>
      <span role="status" className={copyState === 'refused' ? 'self-center text-sm text-danger' : 'sr-only'}>
        {copyState === 'copied' ? 'Copied' : copyState === 'refused' ? 'Not copied: the browser refused' : ''}
      </span>
    </>
  )
}

/** Returns the curl command for a path of the API, at the address that the browser has open. */
function requestText(path: string): string {
  // A quote can't be part of a quoted shell word; in a URL it may be percent-encoded.
  const address = `${location.origin}${path}`.replaceAll("'", '%27')
  return `curl -H "Authorization: Bearer $API_KEY" '${address}'`
}
