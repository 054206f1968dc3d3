'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect, useId, useRef } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Moment } from '#components/platform/values/times.tsx'
import { whoText } from '#components/platform/values/who.ts'
import { Button } from '#components/ui/button.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { acknowledgeLicenseChange } from '#lib/licenses/client.ts'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/** Acknowledges an unclear change: the button, or the member who acknowledged it. Renders nothing for other changes. */
export function Acknowledge({ change }: { change: LicenseChange }) {
  const client = useQueryClient()
  const router = useRouter()
  const id = useId()
  const container = useRef<HTMLParagraphElement>(null)
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => acknowledgeLicenseChange({ params: { change_id: change.id } }),
    onSuccess: refresh,
    // An operator was faster: the refetched row shows the new state.
    onError: (rejection) => {
      if (rejection instanceof ProblemError && rejection.code === 'change_settled') refresh()
    },
  })
  function refresh() {
    client.invalidateQueries({ queryKey: ['listLicenseChanges'] })
    router.refresh()
  }
  // Keeps the focus, which the removed button would lose.
  useEffect(() => {
    if (data) container.current?.focus({ preventScroll: true })
  }, [data])
  const checked = data?.acknowledged ?? change.acknowledged
  if (checked) {
    return (
      <p ref={container} tabIndex={-1} className="mt-1 rounded-sm text-xs wrap-anywhere text-ink-2">
        Checked by {whoText(checked.actor)}, <Moment at={checked.time} /> UTC
      </p>
    )
  }
  if (change.state !== 'UNCLEAR') return null
  return (
    <div className="relative z-1 mt-2 grid w-fit justify-items-start gap-1.5">
      <Button
        pending={isPending}
        onClick={() => mutate()}
        aria-label={`I have checked it: ${escapeInvisible(change.assetName)}, ${change.from.toLocaleString('en')} → ${change.to.toLocaleString('en')}`}
        aria-describedby={id}
      >
        I have checked it
      </Button>
      <span id={id} className="text-xs text-ink-3">
        Records that you compared the totals. Nothing is sent, and you can repeat the request.
      </span>
      {error ? <NotDone title="Not saved" error={error} /> : null}
    </div>
  )
}
