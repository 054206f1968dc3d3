import { useMemo } from 'react'
import { Finder } from './finder.tsx'
import { placesFor } from './places.ts'

/** The finder, with all that the caller can go to from their screens. */
export function FinderOfScreens({
  screens,
  onClose,
}: {
  screens: readonly { href: string; name: string }[]
  onClose: () => void
}) {
  const places = useMemo(() => placesFor(screens), [screens])
  return <Finder places={places} onClose={onClose} />
}
