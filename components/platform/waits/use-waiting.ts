'use client'

import { useEffect, useState } from 'react'

/**
 * Whether a moment (in epoch milliseconds) is still to come: true on the server, which names none that has passed, and
 * drawn again when it has come. False where there is none.
 */
export function useWaiting(until: number | undefined): boolean {
  const [passed, setPassed] = useState<number>()
  useEffect(() => {
    if (until === undefined) return
    const timer = setTimeout(() => setPassed(until), Math.max(0, until - Date.now()))
    return () => clearTimeout(timer)
  }, [until])
  return until !== undefined && passed !== until
}

/** Whole seconds that are left of a wait which begins now; begin another one with another `key` of the component. */
export function useSecondsLeft(seconds: number): number {
  const [until] = useState(() => Date.now() + seconds * 1000)
  const [left, setLeft] = useState(seconds)
  const isOver = left <= 0
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 250)
    return () => clearInterval(timer)
  }, [until, isOver])
  return left
}
