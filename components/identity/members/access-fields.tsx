'use client'

import { useState } from 'react'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { MemberAccess } from '#lib/identity/members/rules.ts'
import { ROLE_NAMES, ROLES, type Role } from '#lib/platform/caller/rules.ts'
import { type Giving, ROLE_DESCRIPTIONS } from './labels.ts'

const CHOICE = 'flex cursor-pointer items-start gap-2.5 py-1 max-md:py-2'
const BOX = 'mt-0.5 size-4 shrink-0 accent-accent'

/**
 * Fields for a member's access: roles, and all or some billing profiles. Each of the `errors` is shown at its field.
 */
export function AccessFields({
  value: { roles, billingProfiles },
  giving,
  errors,
  onChange,
}: {
  value: MemberAccess
  giving: Giving
  errors: { roles?: string | undefined; profiles?: string | undefined }
  onChange: (value: MemberAccess) => void
}) {
  // The caller may not see all of the member's profiles.
  const others = (billingProfiles ?? []).filter((id) => giving.profiles.every((profile) => profile.id !== id))
  const offered = [...giving.profiles, ...others.map((id) => ({ id, name: id }))]
  const setRoles = (next: readonly Role[]) => onChange({ roles: next, billingProfiles })
  const setProfiles = (next: readonly string[] | null) => onChange({ roles, billingProfiles: next })
  return (
    <>
      <fieldset className="text-sm">
        <legend className="mb-0.5 font-medium">Roles</legend>
        {ROLES.map((role) => (
          <label key={role} className={CHOICE}>
            <input
              type="checkbox"
              className={BOX}
              checked={roles.includes(role)}
              onChange={() => setRoles(toggled(roles, role))}
            />
            <span>
              {ROLE_NAMES[role]} <span className="block text-xs text-ink-3">{ROLE_DESCRIPTIONS[role]}</span>
            </span>
          </label>
        ))}
        <Wrong>{errors.roles}</Wrong>
      </fieldset>
      <fieldset className="text-sm">
        <legend className="mb-0.5 font-medium">Billing profiles</legend>
        {giving.all || billingProfiles === null ? (
          <label className={CHOICE}>
            <input
              type="radio"
              name="profiles"
              className={BOX}
              checked={billingProfiles === null}
              onChange={() => setProfiles(null)}
            />
            All profiles, including new ones
          </label>
        ) : null}
        <label className={CHOICE}>
          <input
            type="radio"
            name="profiles"
            className={BOX}
            checked={billingProfiles !== null}
            onChange={() => setProfiles([])}
          />
          Selected profiles
        </label>
        {/* Always visible: a profile that is ticked is a selection. */}
        <div className="ml-6.5 max-h-48 overflow-y-auto">
          {offered.map(({ id, name }) => (
            <label key={id} className={CHOICE}>
              <input
                type="checkbox"
                className={BOX}
                checked={billingProfiles?.includes(id) ?? false}
                onChange={() => setProfiles(toggled(billingProfiles ?? [], id))}
              />
              <span className="min-w-0 wrap-anywhere">
                {escapeInvisible(name)}
                {name === id ? null : <span className="text-xs text-ink-3"> {id}</span>}
              </span>
            </label>
          ))}
        </div>
        {billingProfiles?.length === 0 ? (
          <p className="mt-0.5 ml-6.5 text-xs text-ink-3">Without a profile, this member sees no invoices.</p>
        ) : null}
        <Wrong>{errors.profiles}</Wrong>
      </fieldset>
    </>
  )
}

function Wrong({ children }: { children: string | undefined }) {
  if (!children) return null
  return (
    <p role="alert" className="mt-1 text-danger">
      {children}
    </p>
  )
}

function toggled<T>(values: readonly T[], value: T): T[] {
  return values.includes(value) ? values.filter((other) => other !== value) : [...values, value]
}

/**
 * State of the access fields, which require at least one role: the value, the same value for a call's body, and the
 * fields' props.
 */
export function useAccessFields(first: MemberAccess) {
  const [value, setValue] = useState(first)
  const [isUnsaid, setUnsaid] = useState(false)
  return {
    body: {
      roles: [...value.roles],
      billingProfiles: value.billingProfiles && [...value.billingProfiles],
    },
    /** Returns whether a role is selected; if not, the fields show an error from now on. */
    check(): boolean {
      setUnsaid(value.roles.length === 0)
      return value.roles.length > 0
    },
    fieldsFor: (error: Error | null) => ({
      value,
      onChange: setValue,
      errors: {
        roles: isUnsaid ? 'Choose at least one role.' : errorAt(error, '/roles'),
        profiles: errorAt(error, '/billingProfiles'),
      },
    }),
  }
}
