import { useMemo } from 'react'
import { CommandPalette } from './command-palette.tsx'
import { destinationsFor } from './destinations.ts'

/** The finder, with all that the caller can go to from their screens. */
export function ScreenCommandPalette({
  screens,
  onClose,
}: {
  screens: readonly { href: string; name: string }[]
  onClose: () => void
}) {
  const destinations = useMemo(() => destinationsFor(screens), [screens])
  return <CommandPalette destinations={destinations} onClose={onClose} />
}
