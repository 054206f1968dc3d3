'use client'

import { CopyButton } from './copy-button.tsx'

/** Copies the curl line that answers the same data as the screen shows. */
export function CopyRequest({ method = 'GET', path }: { method?: string; path: string }) {
  return (
    <CopyButton look="plain" text={() => requestText(path, method)}>
      Copy as request
    </CopyButton>
  )
}

/** The curl line of a path of the API, at the address that the browser has open. */
export function requestText(path: string, method = 'GET'): string {
  const verb = method === 'GET' ? '' : ` -X ${method}`
  // A quote can't stand in a quoted shell word; in an address it may be written so.
  const address = `${location.origin}${path}`.replaceAll("'", '%27')
  return `curl${verb} -H "Authorization: Bearer $API_KEY" '${address}'`
}
