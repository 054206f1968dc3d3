'use client'

import { useCopy } from '#components/ui/use-copy.ts'

/** A small way to copy the id of a change, where there is no room to show it. */
export function CopyId({ id }: { id: string }) {
  const { copyState, copy } = useCopy(() => id)
  return (
    <button
      type="button"
      onClick={copy}
      title={id}
      className="relative z-1 rounded-sm text-xs text-ink-2 underline underline-offset-2 hover:text-ink max-md:py-1.5"
    >
      Copy id<span className="sr-only"> {id} of the change</span>
      <span role="status">{copyState === 'copied' ? ': copied' : copyState === 'refused' ? ': not copied' : ''}</span>
    </button>
  )
}
