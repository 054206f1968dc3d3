import type { ComponentProps } from 'react'
import { type ButtonVariant, buttonVariants } from './button-variants.ts'
import { Spinner } from './spinner.tsx'

/** Button. While `pending` it keeps its size and the focus, shows a spinner, and ignores presses. */
export function Button({
  variant = 'plain',
  pending = false,
  className = '',
  children,
  onClick,
  ...rest
}: { variant?: ButtonVariant; pending?: boolean } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...rest}
      {...(pending ? { 'aria-disabled': true } : {})}
      onClick={(event) => (pending ? event.preventDefault() : onClick?.(event))}
      className={buttonVariants(variant, className)}
    >
      {pending ? <Spinner /> : null}
      {children}
    </button>
  )
}
