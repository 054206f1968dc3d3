import { type Change, PARTS } from '#lib/imports/customers/differences.ts'
import type { PlannedCustomer } from '#lib/imports/customers/plan.ts'

/** What would change, a row for each thing; what stays as it is is only counted. */
export function changesTable({ given, changes }: PlannedCustomer) {
  return changes
    .filter(({ kind }) => kind !== 'unchanged')
    .map((change) => ({
      customer: given.id,
      what: change.part,
      which: change.id,
      change: change.kind,
      fields: change.fields.map((field) => fieldText(change, field)).join('; ') || null,
    }))
}

function fieldText({ kind }: Change, { name, from, to }: Change['fields'][number]): string {
  return kind === 'new' ? `${name} ${valueText(to)}` : `${name} ${valueText(from)} → ${valueText(to)}`
}

function valueText(value: unknown): string {
  if (value === null || value === '') return 'nothing'
  const text = Array.isArray(value) ? value.join(', ') : String(value).replaceAll('\n', ', ')
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

const NAMES: Record<Change['part'], string> = {
  customer: 'Customers',
  'billing profile': 'Billing profiles',
  issuer: 'Issuers',
  member: 'Members',
  notices: 'Notices',
}

/** How many of each kind: `Members: 2 new, 1 changed, 40 unchanged`. */
export function summaryOf(plans: readonly PlannedCustomer[]): string[] {
  const changes = plans.flatMap((planned) => planned.changes)
  return PARTS.flatMap((part) => {
    const own = changes.filter((change) => change.part === part)
    const count = (kind: Change['kind']) => own.filter((change) => change.kind === kind).length
    return own.length === 0
      ? []
      : [`${NAMES[part]}: ${count('new')} new, ${count('changed')} changed, ${count('unchanged')} unchanged.`]
  })
}
