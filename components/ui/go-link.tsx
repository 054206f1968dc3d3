import Link from 'next/link'
import type { ComponentProps } from 'react'

/** A link to another view of the same screen: with an address of its own, but the screen itself goes there. */
export function GoLink({ onNavigate, ...rest }: { onNavigate: () => void } & Omit<ComponentProps<typeof Link>, 'onNavigate'>) {
  return (
    <Link
      {...rest}
      prefetch={false}
      scroll={false}
      onNavigate={(event) => {
        event.preventDefault()
        onNavigate()
      }}
    />
  )
}
