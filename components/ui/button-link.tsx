import Link from 'next/link'
import type { ComponentProps } from 'react'
import { type ButtonVariant, buttonVariants } from './button-variants.ts'

/** A link that looks like a button: it leads somewhere, it changes nothing. */
export function ButtonLink({
  variant = 'plain',
  className,
  ...rest
}: { variant?: ButtonVariant } & ComponentProps<typeof Link>) {
  return <Link prefetch={false} {...rest} className={buttonVariants(variant, className)} />
}

/** A link to a file, which the browser saves instead of going there. */
export function DownloadLink({
  variant = 'plain',
  className,
  ...rest
}: { variant?: ButtonVariant } & ComponentProps<'a'>) {
  return <a download {...rest} className={buttonVariants(variant, className)} />
}
