import { useMemo } from 'react'
import { CommandPalette } from './command-palette.tsx'
import { destinationsFor } from './destinations.ts'

/** Command palette with all destinations of the caller's screens. */
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
