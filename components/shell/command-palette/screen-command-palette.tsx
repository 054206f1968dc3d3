import { useMemo } from 'react'
import { CommandPalette } from './command-palette.tsx'
import { destinationsFor } from './destinations.ts'
import type { EarlyKeys } from './use-command-palette.tsx'

/** Command palette with all destinations of the caller's screens. */
export function ScreenCommandPalette({
  screens,
  ...props
}: {
  screens: readonly { href: string; name: string }[]
  earlyKeys: () => EarlyKeys | undefined
  onClose: () => void
}) {
  const destinations = useMemo(() => destinationsFor(screens), [screens])
  return <CommandPalette {...props} destinations={destinations} />
}
