'use client'

import { useCopy } from './use-copy.ts'

/** A request or an error by the name under which the log has it, small, with a way to copy it. */
export function RequestId({ label = 'Request', id }: { label?: string; id: string }) {
  const { copyState, copy } = useCopy(() => id)
  return (
    <span className="text-xs text-ink-2">
      {label} <code className="font-mono break-all">{id}</code>{' '}
      <button
        type="button"
        onClick={copy}
        className="rounded-sm px-1 font-medium underline underline-offset-2 hover:text-ink max-md:py-1.5"
      >
        Copy
      </button>
      <span role="status">{copyState === 'copied' ? ' Copied' : copyState === 'refused' ? ' Not copied' : ''}</span>
    </span>
  )
}
