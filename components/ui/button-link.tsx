import Link from 'next/link'
import type { ComponentProps } from 'react'
import { type ButtonVariant, buttonVariants } from './button-variants.ts'

/** Link with the look of a button: it navigates, and changes nothing. */
export function ButtonLink({
  variant = 'plain',
  className,
  ...rest
}: { variant?: ButtonVariant } & ComponentProps<typeof Link>) {
  return <Link prefetch={false} {...rest} className={buttonVariants(variant, className)} />
}

/** Link to a file that the browser downloads. */
export function DownloadLink({
  variant = 'plain',
  className,
  ...rest
}: { variant?: ButtonVariant } & ComponentProps<'a'>) {
  return <a download {...rest} className={buttonVariants(variant, className)} />
}
