'use client'

import type { Ref } from 'react'
import { Button } from '#components/ui/button.tsx'
import { useSecondsLeft } from './use-waiting.ts'
import { waitText } from './wait-text.ts'

const OFF =
  'aria-disabled:cursor-not-allowed aria-disabled:bg-sunken aria-disabled:text-ink-3 aria-disabled:shadow-none'

/**
 * Button that is disabled for some seconds, with a visible countdown. It stays focusable during the wait, so that the
 * focus is not lost; screen readers announce only the end of the wait.
 */
export function WaitButton({
  seconds,
  text,
  onPress,
  ref,
}: {
  seconds: number
  text: string
  onPress: () => void
  ref?: Ref<HTMLButtonElement>
}) {
  const left = useSecondsLeft(seconds)
  const isOff = left > 0
  return (
    <Button
      ref={ref}
      variant="primary"
      aria-disabled={isOff || undefined}
      className={OFF}
      onClick={() => isOff || onPress()}
    >
      {text}
      {isOff ? (
        <span aria-hidden="true" className="-ml-1 tabular-nums">
          in {waitText(left)}
        </span>
      ) : null}
      {seconds > 0 && !isOff ? <span className="sr-only">: now</span> : null}
    </Button>
  )
}
