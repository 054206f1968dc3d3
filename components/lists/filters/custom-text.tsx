import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { focusOnMount } from '#components/ui/focus-on-mount.ts'

const MAX_LENGTH = 200

/** Form for a text, with the focus. */
export function CustomText({
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
        maxLength={MAX_LENGTH}
        ref={focusOnMount}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" variant="primary" className="justify-self-end">
        Apply
      </Button>
    </form>
  )
}
