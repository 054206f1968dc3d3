import { type ReactNode, useState } from 'react'
import { Choices, FilterMenu } from '#components/ui/filter-menu.tsx'

/**
 * A filter by one of the kinds that a list's rows have, such as their issuer. It offers those that are `known`, and those
 * that the address or the rows have named so far, for to choose one takes the others' rows out of sight.
 */
export function KindFilter({
  label,
  several,
  known,
  chosen,
  rows = [],
  nameOf = (value) => value,
  lookOf = nameOf,
  onToggle,
  onClear,
}: {
  label: string
  /** What more than one of them are: `platforms`. */
  several: string
  known: readonly string[]
  chosen: readonly string[]
  rows?: readonly string[]
  nameOf?: (value: string) => string
  lookOf?: (value: string) => ReactNode
  onToggle: (value: string) => void
  onClear: () => void
}) {
  const [offered, setOffered] = useState(known)
  const all = [...new Set([...offered, ...known, ...chosen, ...rows])]
  if (all.length > offered.length) setOffered(all)
  const [first] = chosen
  // Of a single kind there is nothing to choose.
  if (all.length < 2 && first === undefined) return null
  const one = first === undefined ? undefined : nameOf(first)
  return (
    <FilterMenu
      label={label}
      off={`All ${several}`}
      value={chosen.length > 1 ? `${chosen.length} ${several}` : one}
      onClear={onClear}
    >
      {() => (
        <Choices
          label={label}
          choices={all.map((value) => ({ value, name: lookOf(value) }))}
          chosen={chosen}
          onToggle={onToggle}
        />
      )}
    </FilterMenu>
  )
}
