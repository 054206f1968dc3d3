import { escapeInvisible } from '#components/ui/escape-invisible.ts'

/** Signed-in user, as shown in the frame. */
export type Person = {
  name: string
  email: string
  customer: string
  roles: string
  /** Whether the user can switch to another customer. The frame does not wait for it. */
  mayChange: Promise<boolean>
}

/** Name, customer and roles of a person. */
export function PersonLines({ person }: { person: Person }) {
  return (
    <span className="block min-w-0 text-left">
      <span className="block truncate font-[550] text-ink">{escapeInvisible(person.name)}</span>
      {[escapeInvisible(person.customer), person.roles].filter(Boolean).map((line) => (
        <span key={line} className="block truncate text-xs text-ink-3" title={line}>
          {line}
        </span>
      ))}
    </span>
  )
}
