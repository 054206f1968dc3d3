import { ROLE_NAMES, ROLES, type Role } from '#lib/platform/caller/rules.ts'

const CHOICE = 'flex cursor-pointer items-start gap-2.5 py-1 max-md:py-2'
const BOX = 'mt-0.5 size-4 shrink-0 accent-accent'

/** Sets whether a sign-in creates a membership for users without one, and with which roles. Null: it does not. */
export function JoinFields({
  value,
  error,
  onChange,
}: {
  value: readonly Role[] | null
  error: string | undefined
  onChange: (value: readonly Role[] | null) => void
}) {
  return (
    <fieldset className="text-sm">
      <legend className="mb-0.5 font-medium">New users</legend>
      <label className={CHOICE}>
        <input
          type="radio"
          name="join"
          className={BOX}
          checked={value === null}
          onChange={() => onChange(null)}
        />
        Must be invited
      </label>
      <label className={CHOICE}>
        <input
          type="radio"
          name="join"
          className={BOX}
          checked={value !== null}
          onChange={() => onChange(['it-manager'])}
        />
        Becomes a member, with these roles
      </label>
      {value === null ? null : (
        <div className="ml-6.5">
          {ROLES.map((role) => (
            <label key={role} className={CHOICE}>
              <input
                type="checkbox"
                className={BOX}
                checked={value.includes(role)}
                onChange={() =>
                  onChange(value.includes(role) ? value.filter((one) => one !== role) : [...value, role])
                }
              />
              {ROLE_NAMES[role]}
            </label>
          ))}
          {value.length === 0 ? (
            <p className="text-xs text-ink-3">
              Without roles here, only users whose claims grant a role can sign in.
            </p>
          ) : null}
        </div>
      )}
      {error ? (
        <p role="alert" className="text-danger">
          The roles {error}.
        </p>
      ) : null}
    </fieldset>
  )
}
