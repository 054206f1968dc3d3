import Link from 'next/link'
import type { ComponentProps } from 'react'

/** A link to another view of the same screen: with an address of its own, but the screen itself goes there. */
export function GoLink({ onGo, ...rest }: { onGo: () => void } & ComponentProps<typeof Link>) {
  return (
    <Link
      {...rest}
      prefetch={false}
      scroll={false}
      onNavigate={(event) => {
        event.preventDefault()
        onGo()
      }}
    />
  )
}
