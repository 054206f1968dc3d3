'use client'

import { useState } from 'react'
import { errorAt } from '#components/platform/problem/error-at.ts'
import type { Holding } from '#lib/identity/members/rules.ts'

/** What a form is about to give, at least one role: its value, what a call takes of it, and what its fields need. */
export function useHolding(first: Holding) {
  const [value, setValue] = useState(first)
  const [isUnsaid, setUnsaid] = useState(false)
  return {
    body: {
      roles: [...value.roles],
      billingProfiles: value.billingProfiles && [...value.billingProfiles],
    },
    /** Whether there is a role; where there is none, the fields say so from now on. */
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
