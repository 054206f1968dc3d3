'use client'

import { useEffect, useState } from 'react'

/**
 * Returns whether a time (in epoch milliseconds) is in the future, and renders again when it arrives. True on the
 * server, which passes no past times; false for undefined.
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

/** Returns the whole seconds left of a wait that begins now; another `key` of the component begins another wait. */
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
