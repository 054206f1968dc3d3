'use client'

import { useMutationState } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { Problem } from '#lib/platform/api/problem.ts'

/**
 * Reads the page again when a change of licenses has got its answer, and when the outcome of one that was open is
 * known: its history has one more row, or another one.
 * @param openId of the change that is open
 */
export function useRefreshAfterChange(openId: string | undefined): void {
  const router = useRouter()
  const last = useMutationState({
    filters: { mutationKey: ['setQuantity'] },
    select: ({ state }) => ({ status: state.status, error: state.error }),
  }).at(-1)
  const isAwaited = useRef(false)
  const status = last?.status
  // Who is signed out would be led to the sign-in page, before the way there can be read.
  const isOut = last?.error instanceof Problem && last.error.code === 'unauthenticated'
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
