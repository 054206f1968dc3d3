import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { focused } from '#components/ui/focused.ts'
import { visible } from '#components/ui/visible.ts'

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

const LONGEST = 200

function OwnText({
  label,
  hint,
  value,
  onChoose,
}: {
  label: string
  hint: string
  value: string | undefined
  onChoose: (value: string | undefined) => void
}) {
  const [text, setText] = useState(value ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChoose(text.trim() || undefined)
  }
  return (
    <form onSubmit={submit} className="grid gap-2.5 p-2">
      <Field
        label={label}
        hint={hint}
        autoComplete="off"
        maxLength={LONGEST}
        ref={focused}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" look="primary" className="justify-self-end">
        Apply
      </Button>
    </form>
  )
}
