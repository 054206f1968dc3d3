'use client'

import { useEffect, useRef, useState } from 'react'

const COPY_STATE_MS = 2000

/** Returns a function that copies a text; `copyState` is the result for two seconds. */
export function useCopy(text: () => string) {
  const [copyState, setCopyState] = useState<'copied' | 'refused'>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    // Undefined without a secure context (https or localhost).
    const done = await (navigator.clipboard?.writeText(text()) ?? Promise.reject()).then(
      () => 'copied' as const,
      () => 'refused' as const,
    )
    setCopyState(done)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopyState(undefined), COPY_STATE_MS)
  }
  return { copyState, copy }
}
