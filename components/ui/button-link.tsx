import Link from 'next/link'
import type { ComponentProps } from 'react'
import { type ButtonLook, buttonLook } from './button-look.ts'

/** A link that looks like a button: it leads somewhere, it changes nothing. */
export function ButtonLink({
  look = 'plain',
  className,
  ...rest
}: { look?: ButtonLook } & ComponentProps<typeof Link>) {
  return <Link prefetch={false} {...rest} className={buttonLook(look, className)} />
}

/** A link to a file, which the browser saves instead of going there. */
export function DownloadLink({
  look = 'plain',
  className,
  ...rest
}: { look?: ButtonLook } & ComponentProps<'a'>) {
  return <a download {...rest} className={buttonLook(look, className)} />
}
