import { NOTICE_NAMES, NOTICES, type Notice } from '#lib/notifications/notices/rules.ts'

/** Notices that an address gets, and whether PDFs are attached. */
export type RecipientChoice = { notices: Notice[]; attachesPdf: boolean }

const BOX = 'size-4 shrink-0 accent-accent'
const CHOICE = 'flex min-h-9 items-center gap-2.5 max-md:min-h-11'

/** Check boxes for the kinds of notices and for PDFs. */
export function RecipientFields({
  value: { notices, attachesPdf },
  error,
  onChange,
}: {
  value: RecipientChoice
  error: string | undefined
  onChange: (value: RecipientChoice) => void
}) {
  const toggle = (notice: Notice) =>
    NOTICES.filter((one) => (one === notice ? !notices.includes(one) : notices.includes(one)))
  return (
    <fieldset className="text-sm" aria-describedby={error ? 'notices-error' : undefined}>
      <legend className="mb-1 font-medium">Emails</legend>
      {[...NOTICES].reverse().map((notice) => (
        <label key={notice} className={CHOICE}>
          <input
            type="checkbox"
            className={BOX}
            checked={notices.includes(notice)}
            onChange={() => onChange({ attachesPdf, notices: toggle(notice) })}
          />
          {NOTICE_NAMES[notice]}
        </label>
      ))}
      <label className={`${CHOICE} mt-1 border-t border-line pt-1`}>
        <input
          type="checkbox"
          className={BOX}
          checked={attachesPdf}
          onChange={() => onChange({ notices, attachesPdf: !attachesPdf })}
        />
        Attach the PDFs of new invoices
      </label>
      {error ? (
        <p id="notices-error" role="alert" className="mt-1 text-danger">
          {error}
        </p>
      ) : null}
    </fieldset>
  )
}

export const NO_NOTICES = 'Choose at least one kind of email.'
