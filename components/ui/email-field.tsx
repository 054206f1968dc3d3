import { Field } from './field.tsx'

/** Required field `email` for the address of another person. `problem` ends the sentence "This address …". */
export function EmailField({ problem }: { problem: string | undefined }) {
  return (
    <Field
      label="Email address"
      name="email"
      type="email"
      autoComplete="off"
      maxLength={254}
      required
      error={problem && `This address ${problem}.`}
    />
  )
}
