'use client'

import { useState } from 'react'
import { Field } from '#components/ui/field.tsx'
import { dayText, epochOfDay } from '#lib/platform/values/days.ts'

/** Field for a day. The browser shows it in a format of its own, so it is also written below like all other days. */
export function DayField({
  label,
  name,
  value,
  error,
  onChange,
}: {
  label: string
  name?: string
  /** First value, such as `2026-09-30`. */
  value: string
  error?: string | undefined
  onChange?: (value: string) => void
}) {
  const [text, setText] = useState(value)
  const day = epochOfDay(text)
  return (
    <Field
      label={label}
      name={name}
      type="date"
      defaultValue={value}
      max="9999-12-31"
      error={error}
      hint={Number.isNaN(day) ? 'No date selected' : dayText(day)}
      onChange={(event) => {
        setText(event.target.value)
        onChange?.(event.target.value)
      }}
    />
  )
}
