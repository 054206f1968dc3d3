'use client'

import { Moment } from '#components/platform/values/times.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Field } from '#components/ui/field.tsx'
import type { MemberLink } from '#lib/identity/members/contract.ts'

/** New link: the address that it was mailed to, or the link itself, shown only once. */
export function MemberLinkDialog({
  link,
  name,
  onClose,
}: {
  link: MemberLink
  name: string
  onClose: () => void
}) {
  const { url, sentTo, expireTime, kind } = link
  const what = kind === 'invitation' ? 'The invitation' : 'The link'
  return (
    <div className="mt-3 grid gap-3.5">
      {url === undefined ? (
        <p role="status">
          {what} is on its way to <span className="wrap-anywhere">{sentTo}</span>.
        </p>
      ) : (
        <>
          <p role="status">
            Copy this link now. You won’t see it again. Send it only to {name}: anyone with this link can sign
            in as {name}.
          </p>
          <Field
            label="Link"
            value={url}
            readOnly
            autoFocus
            onFocus={(event) => event.currentTarget.select()}
          />
        </>
      )}
      <p className="text-sm text-ink-3">
        It works once, until <Moment at={expireTime} /> UTC.
      </p>
      <div className="flex justify-end gap-2">
        {url === undefined ? null : (
          <CopyButton variant="primary" text={() => url}>
            Copy the link
          </CopyButton>
        )}
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  )
}
