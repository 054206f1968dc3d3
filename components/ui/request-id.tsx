'use client'

import { useCopy } from './use-copy.ts'

/** A request or an error by the name under which the log has it, small, with a way to copy it. */
export function RequestId({ what = 'Request', id }: { what?: string; id: string }) {
  const { said, copy } = useCopy(() => id)
  return (
    <span className="text-xs text-ink-2">
      {what} <code className="font-mono break-all">{id}</code>{' '}
      <button
        type="button"
        onClick={copy}
        className="rounded-sm px-1 font-medium underline underline-offset-2 hover:text-ink max-md:py-1.5"
      >
        Copy
      </button>
      <span role="status">{said === 'copied' ? ' Copied' : said === 'refused' ? ' Not copied' : ''}</span>
    </span>
  )
}
