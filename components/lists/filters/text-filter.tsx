import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { later } from '#components/ui/later.tsx'
import { visible } from '#components/ui/visible.ts'

const OwnText = later(
  () => import('./own-text.tsx').then(({ OwnText }) => OwnText),
  () => <div className="h-36" />,
)

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
      ahead={OwnText.ahead}
    >
      {(close) => (
        <OwnText
          label={label}
          hint={hint}
          value={value}
          onChoose={(chosen) => {
            close()
            onChange(chosen)
          }}
        />
      )}
    </FilterMenu>
  )
}
