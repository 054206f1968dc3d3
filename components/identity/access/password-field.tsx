'use client'

import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { Field } from '#components/ui/field.tsx'

/** Password field with a button that shows the password. */
export function PasswordField(props: Omit<ComponentProps<typeof Field>, 'type' | 'trailing'>) {
  const [isVisible, setIsVisible] = useState(false)
  const Icon = isVisible ? EyeOff : Eye
  const toggle = (
    <button
      type="button"
      aria-label={`Show ${props.label.toLowerCase()}`}
      aria-pressed={isVisible}
      onClick={() => setIsVisible(!isVisible)}
      className="grid size-8 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink"
    >
      <Icon aria-hidden="true" className="size-4" />
    </button>
  )
  return (
    <Field
      {...props}
      type={isVisible ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      trailing={toggle}
    />
  )
}
