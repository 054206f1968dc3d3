'use client'

import { useCopy } from '#components/ui/use-copy.ts'

/** A small way to copy the id of a change, where there is no room to show it. */
export function CopyId({ id }: { id: string }) {
  const { said, copy } = useCopy(() => id)
  return (
    <button
      type="button"
      onClick={copy}
      title={id}
      aria-label={`Copy the change’s id ${id}`}
      className="rounded-sm text-xs text-ink-2 underline underline-offset-2 hover:text-ink max-md:py-1.5"
    >
      <span role="status">
        {said === 'copied' ? 'Copied' : said === 'refused' ? 'Not copied' : 'Copy id'}
      </span>
    </button>
  )
}
