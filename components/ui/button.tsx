import type { ComponentProps } from 'react'
import { type ButtonLook, buttonLook } from './button-look.ts'
import { Spinner } from './spinner.tsx'

/** A button. While `pending` it keeps its place and the focus, shows a spinner, and does nothing. */
export function Button({
  look = 'plain',
  pending = false,
  className = '',
  children,
  onClick,
  ...rest
}: { look?: ButtonLook; pending?: boolean } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...rest}
      {...(pending ? { 'aria-disabled': true } : {})}
      onClick={(event) => (pending ? event.preventDefault() : onClick?.(event))}
      className={buttonLook(look, className)}
    >
      {pending ? <Spinner /> : null}
      {children}
    </button>
  )
}
