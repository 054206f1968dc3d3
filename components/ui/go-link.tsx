import Link from 'next/link'
import type { ComponentProps } from 'react'

/** Link to another view of the same screen: it has an address, but a plain click calls `onNavigate`. */
export function GoLink({
  onNavigate,
  ...rest
}: { onNavigate: () => void } & Omit<ComponentProps<typeof Link>, 'onNavigate'>) {
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
