import type { DocumentState } from '#lib/billing/invoices/rules.ts'

/** Why a list of drafts or voided invoices has no figures of what is due. */
export function NotOwed({ states }: { states: readonly DocumentState[] }) {
  return (
    <p className="mb-4 rounded-card bg-info-tint px-4 py-2.5 text-sm text-info">
      {states.includes('draft')
        ? 'Drafts are of a period that still runs: their charges may change until they are issued. '
        : ''}
      {states.includes('voided') ? 'Voided documents are valid no more, and kept for the record. ' : ''}
      Nothing of these is owed.
    </p>
  )
}
