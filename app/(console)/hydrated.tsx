import type { ReactNode } from 'react'
import { type Answer, CachedAnswers } from './cached-answers.tsx'

/** Passes the server's answers to the browser's query cache, each under the key of its call. */
export function Hydrated({ answers, children }: { answers: readonly Answer[]; children: ReactNode }) {
  return (
    <CachedAnswers answers={answers} time={Date.now()}>
      {children}
    </CachedAnswers>
  )
}
