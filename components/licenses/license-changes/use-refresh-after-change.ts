'use client'

import { useMutationState } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/**
 * Refreshes the page after a license change has got its answer, and when the outcome of an open one is known: its
 * history has a new or a changed row.
 * @param openId of the open change
 */
export function useRefreshAfterChange(openId: string | undefined): void {
  const router = useRouter()
  const last = useMutationState({
    filters: { mutationKey: ['setQuantity'] },
    select: ({ state }) => ({ status: state.status, error: state.error }),
  }).at(-1)
  const isAwaited = useRef(false)
  const status = last?.status
  // A refresh without a session would redirect to the sign-in page before the user can read the note.
  const isOut = last?.error instanceof ProblemError && last.error.code === 'unauthenticated'
  useEffect(() => {
    if (status === 'pending') isAwaited.current = true
    else if (isAwaited.current) {
      isAwaited.current = false
      if (!isOut) router.refresh()
    }
  }, [status, isOut, router])
  const followed = useRef(openId)
  useEffect(() => {
    if (followed.current !== undefined && followed.current !== openId) router.refresh()
    followed.current = openId
  }, [openId, router])
}
