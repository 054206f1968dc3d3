import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'

const CustomText = lazyWithPreload(
  () => import('./custom-text.tsx').then(({ CustomText }) => CustomText),
  () => <div className="h-36" />,
)

/** Filter by a text in the rows. */
export function TextFilter({
  label,
  hint,
  value,
  onChange,
}: {
  label: string
  /** Placeholder: the searched fields. */
  hint: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  return (
    <FilterMenu
      label={label}
      off="any"
      value={value && escapeInvisible(value)}
      onClear={() => onChange(undefined)}
      className="w-74"
      preload={CustomText.preload}
    >
      {(close) => (
        <CustomText
          label={label}
          hint={hint}
          value={value}
          onChoose={(selected) => {
            close()
            onChange(selected)
          }}
        />
      )}
    </FilterMenu>
  )
}
