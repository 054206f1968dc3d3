'use client'

import { useEffect, useRef, useState } from 'react'

const SAID_MS = 2000

/** Copies a text; `said` is for two seconds what came of it. */
export function useCopy(text: () => string) {
  const [said, setSaid] = useState<'copied' | 'refused'>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    // Absent where the page did not come over https or from this very machine.
    const done = await (navigator.clipboard?.writeText(text()) ?? Promise.reject()).then(
      () => 'copied' as const,
      () => 'refused' as const,
    )
    setSaid(done)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setSaid(undefined), SAID_MS)
  }
  return { said, copy }
}
