'use client'

import { X } from 'lucide-react'
import Link from 'next/link'
import { useEffect, useRef } from 'react'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'
import type { Need } from '#lib/notifications/needs/contract.ts'
import { describeNeed } from '#lib/notifications/needs/messages.ts'
import { useDismissal } from './use-dismissal.ts'

type NeedLineProps = {
  need: Need
  /** Whether the line's button takes the focus, because the focused element has disappeared. */
  hasFocus: boolean
  onDismissalChange: (need: Need) => void
  onFocused: () => void
}

/** One line: its subject, its text, a link to the task, and the button that dismisses it. */
export function NeedLine({ need, hasFocus, onDismissalChange, onFocused }: NeedLineProps) {
  const button = useRef<HTMLButtonElement>(null)
  const { isDismissed } = need
  useEffect(() => {
    if (!hasFocus) return
    button.current?.focus()
    onFocused()
  }, [hasFocus, onFocused])
  return isDismissed ? (
    <PutAside need={need} button={button} onDismissalChange={onDismissalChange} />
  ) : (
    <Line need={need} button={button} onDismissalChange={onDismissalChange} />
  )
}

type LineProps = Pick<NeedLineProps, 'need' | 'onDismissalChange'> & {
  button: React.RefObject<HTMLButtonElement | null>
}

function Line({ need, button, onDismissalChange }: LineProps) {
  const { title, headline, details, act, path } = describeNeed(need)
  const { dismiss, isPending } = useDismissal(onDismissalChange)
  return (
    <li className="relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-5 gap-y-1 px-4 py-3 not-print:md:grid-cols-[minmax(0,1fr)_auto_11rem_auto]">
      <div className="min-w-0 max-md:order-1">
        <Link
          href={path}
          prefetch={false}
          className="rounded-sm font-[550] wrap-anywhere underline-offset-2 after:absolute after:inset-0 hover:underline"
        >
          {escapeInvisible(title)}
          <LinkSpinner />
        </Link>
        {details.map((detail) => (
          <p key={detail} className="text-sm text-ink-3 wrap-anywhere tabular-nums">
            {escapeInvisible(detail)}
          </p>
        ))}
      </div>
      <div className="max-md:order-3 max-md:col-span-2 max-md:mt-1 max-md:flex max-md:flex-wrap max-md:items-center max-md:justify-between max-md:gap-2 md:contents">
        <p
          className={`font-[550] tabular-nums md:text-right ${need.kind === 'past-due' ? 'text-danger' : ''}`}
        >
          {headline}
        </p>
        <ButtonLink
          href={path}
          prefetch={false}
          aria-label={`${act}: ${title}`}
          className="relative z-1 md:w-full print:hidden"
        >
          {act}
        </ButtonLink>
      </div>
      <button
        ref={button}
        type="button"
        aria-label={`Dismiss: ${title}, ${headline}`}
        title="Dismiss"
        aria-disabled={isPending ? true : undefined}
        onClick={() => isPending || dismiss(need)}
        className="relative z-1 grid size-8.5 place-items-center rounded-control text-ink-3 hover:bg-sunken hover:text-ink max-md:order-2 max-md:size-10 max-md:self-start max-md:justify-self-end print:hidden"
      >
        <X aria-hidden="true" className="size-4" />
      </button>
    </li>
  )
}

function PutAside({ need, button, onDismissalChange }: LineProps) {
  const { title } = describeNeed(need)
  const { restore, isPending } = useDismissal(onDismissalChange)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-5 gap-y-1 px-4 py-2 text-sm text-ink-3">
      <span className="min-w-0 wrap-anywhere">{escapeInvisible(title)}: dismissed</span>
      <Button
        ref={button}
        variant="quiet"
        pending={isPending}
        onClick={() => restore(need)}
        aria-label={`Undo: ${title} was dismissed`}
      >
        Undo
      </Button>
    </li>
  )
}
