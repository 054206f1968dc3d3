import { Trash2 } from 'lucide-react'
import type { Giving } from '#components/identity/members/labels.ts'
import { Button } from '#components/ui/button.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import type { Provider } from '#lib/identity/single-sign-on/contract.ts'
import { ROLE_NAMES, ROLES, type Role } from '#lib/platform/caller/rules.ts'

type Mappings = Provider['mappings']

/** Mapping being edited: `gives` is `role` or `profile`, a colon, and the value. */
export type Rule = { key: number; claim: string; value: string; gives: string }

let made = 0

export function asRules(mappings: Mappings): Rule[] {
  return mappings.map(({ claim, value, role, billingProfile }) => ({
    ...{ key: ++made, claim, value },
    gives: role ? `role:${role}` : `profile:${billingProfile ?? ''}`,
  }))
}

export function asMappings(rules: readonly Rule[]): Mappings {
  return rules.map(({ claim, value, gives }) => {
    const what = gives.slice(gives.indexOf(':') + 1)
    const rule = { claim: claim.trim(), value: value.trim() }
    return gives.startsWith('role:') ? { ...rule, role: what as Role } : { ...rule, billingProfile: what }
  })
}

/** Edits which claims grant which roles and billing profiles, at each sign-in. */
export function RuleFields({
  value,
  giving,
  error,
  onChange,
}: {
  value: readonly Rule[]
  giving: Giving
  error: string | undefined
  onChange: (value: Rule[]) => void
}) {
  const set = (key: number, part: Partial<Rule>) =>
    onChange(value.map((rule) => (rule.key === key ? { ...rule, ...part } : rule)))
  const last = value.at(-1)
  const add = () =>
    onChange([
      ...value,
      { key: ++made, claim: last?.claim ?? 'groups', value: '', gives: last?.gives ?? 'role:it-manager' },
    ])
  return (
    <fieldset className="grid gap-2.5 text-sm">
      <legend className="mb-0.5 font-medium">Roles and billing profiles by claims</legend>
      <p className="text-xs text-ink-3">
        Applied at each sign-in. If there are rules for roles, members who match none cannot sign in, unless
        new users get roles.
      </p>
      {value.map(({ key, claim, value: its, gives }, at) => (
        <div key={key} className="grid grid-cols-2 gap-2 rounded-control border border-line p-3">
          <Field
            label="Claim"
            value={claim}
            required
            maxLength={100}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => set(key, { claim: event.target.value })}
          />
          <Field
            label="Value"
            value={its}
            required
            maxLength={200}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => set(key, { value: event.target.value })}
          />
          <div className="col-span-2 flex items-end gap-2">
            <Gives value={gives} giving={giving} onChange={(next) => set(key, { gives: next })} />
            <Button
              variant="quiet"
              aria-label={`Remove rule ${at + 1}`}
              onClick={() => onChange(value.filter((rule) => rule.key !== key))}
            >
              <Trash2 aria-hidden="true" className="size-4" />
            </Button>
          </div>
        </div>
      ))}
      {error ? (
        <p role="alert" className="text-danger">
          A rule {error}.
        </p>
      ) : null}
      <Button onClick={add} className="justify-self-start">
        Add a rule
      </Button>
    </fieldset>
  )
}

function Gives({
  value,
  giving,
  onChange,
}: {
  value: string
  giving: Giving
  onChange: (value: string) => void
}) {
  return (
    <label className="grid min-w-0 flex-1 gap-1.5 font-medium">
      Grants
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-9.5 w-full min-w-0 rounded-control border border-line-2 bg-surface px-3 text-base font-normal text-ink focus:outline-2 focus:outline-offset-1 focus:outline-accent max-md:h-11 max-md:text-lg"
      >
        <optgroup label="Roles">
          {ROLES.map((role) => (
            <option key={role} value={`role:${role}`}>
              {ROLE_NAMES[role]}
            </option>
          ))}
        </optgroup>
        <optgroup label="Billing profiles">
          {giving.profiles.map(({ id, name }) => (
            <option key={id} value={`profile:${id}`}>
              {escapeInvisible(name)}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  )
}
