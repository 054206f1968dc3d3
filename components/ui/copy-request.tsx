'use client'

import { CopyButton } from './copy-button.tsx'

/** Copies the curl line that answers the same data as the screen shows. */
export function CopyRequest({ method = 'GET', path }: { method?: string; path: string }) {
  const text = () => {
    const verb = method === 'GET' ? '' : ` -X ${method}`
    // A quote can't stand in a quoted shell word; in an address it may be written so.
    const address = `${location.origin}${path}`.replaceAll("'", '%27')
    return `curl${verb} -H "Authorization: Bearer $API_KEY" '${address}'`
  }
  return (
    <CopyButton look="plain" text={text}>
      Copy as request
    </CopyButton>
  )
}
