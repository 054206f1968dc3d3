import Link from 'next/link'
import type { ComponentProps, ReactNode } from 'react'
import { Spinner } from './spinner.tsx'

export type ButtonLook = 'plain' | 'primary' | 'quiet'

const BASE =
  'inline-flex min-h-8.5 max-md:min-h-10 items-center justify-center gap-2 rounded-control border px-3 py-1 text-sm font-medium transition-colors duration-120 disabled:cursor-not-allowed aria-disabled:cursor-progress'

const LOOKS: Record<ButtonLook, string> = {
  plain: 'border-line-2 bg-surface text-ink shadow-card hover:bg-sunken disabled:text-ink-3',
  primary:
    'border-transparent bg-accent text-accent-ink shadow-card hover:bg-accent-strong disabled:bg-sunken disabled:text-ink-3 disabled:shadow-none',
  quiet: 'border-transparent text-ink-2 hover:bg-sunken hover:text-ink disabled:text-ink-3',
}

type Given = { look?: ButtonLook; className?: string; children: ReactNode }

/** A button. While `pending` it keeps its place and the focus, shows a spinner, and does nothing. */
export function Button({
  look = 'plain',
  pending = false,
  className = '',
  children,
  onClick,
  ...rest
}: Given & { pending?: boolean } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...rest}
      {...(pending ? { 'aria-disabled': true } : {})}
      onClick={(event) => (pending ? event.preventDefault() : onClick?.(event))}
      className={`${BASE} ${LOOKS[look]} ${className}`}
    >
      {pending ? <Spinner /> : null}
      {children}
    </button>
  )
}

/** A link that looks like a button: it leads somewhere, it changes nothing. */
export function ButtonLink({ look = 'plain', className = '', ...rest }: Given & ComponentProps<typeof Link>) {
  return <Link {...rest} className={`${BASE} ${LOOKS[look]} ${className}`} />
}

/** A link to a file, which the browser saves instead of going there. */
export function DownloadLink({ look = 'plain', className = '', ...rest }: Given & ComponentProps<'a'>) {
  return <a download {...rest} className={`${BASE} ${LOOKS[look]} ${className}`} />
}
