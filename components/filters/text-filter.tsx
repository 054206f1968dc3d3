import { lazy, Suspense } from 'react'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { visible } from '#components/ui/visible.ts'

// It comes when somebody is about to ask for it; its place is kept.
const ahead = () => import('#components/filter-forms/own-text.tsx')
const OwnText = lazy(() => ahead().then(({ OwnText }) => ({ default: OwnText })))

/** A filter by a text that rows have in them. */
export function TextFilter({
  label,
  hint,
  value,
  onChange,
}: {
  label: string
  /** What is looked for, and where. */
  hint: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  return (
    <FilterMenu
      label={label}
      off="any"
      value={value && visible(value)}
      onClear={() => onChange(undefined)}
      className="w-74"
      ahead={ahead}
    >
      {(close) => (
        <Suspense fallback={<div className="h-36" />}>
          <OwnText
            label={label}
            hint={hint}
            value={value}
            onChoose={(chosen) => {
              close()
              onChange(chosen)
            }}
          />
        </Suspense>
      )}
    </FilterMenu>
  )
}
