import { noticeLink } from '#lib/identity/access/notice-link.ts'
import { designedMail } from '#lib/platform/mail/layout.ts'
import type { Message } from '#lib/platform/mail/mailer.ts'
import type { Digest, Part } from './digest.ts'
import { NOTICE_NAMES } from './rules.ts'
import type { To } from './store.ts'

/**
 * Returns the mail of a digest: text, and HTML without remote content, each kind with its unsubscribe link, and the
 * headers for one-click unsubscribe (RFC 8058).
 */
export function messageOf(digest: Digest, to: To, baseUrl: string): Required<Omit<Message, 'attachments'>> {
  const stop = (notice: string) => `link=${noticeLink({ ...to, notice })}`
  const page = (notice: string) => `${baseUrl}/unsubscribe?${stop(notice)}`
  const { subject, title, company, parts } = digest
  const [first] = parts
  return designedMail(
    {
      ...{ subject, title, company, why: WHY },
      blocks: [
        ...parts.map(({ heading, lines, more, href }) => ({
          heading,
          items: lines.map(({ id, ...line }) => ({ name: id, ...line })),
          more: more === undefined ? undefined : { label: more, href },
        })),
        ...(first ? [{ button: { label: first.act, href: first.href } }] : []),
      ],
      stops: [
        ...parts.map((part) => ({ label: stopLabel(part), href: page(part.notice) })),
        { label: 'Stop all of them', href: page('all') },
      ],
    },
    {
      'List-Unsubscribe': `<${baseUrl}/api/unsubscribe?${stop('all')}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  )
}

const WHY = 'You get these notices at most once a day, and only when there is news.'
const stopLabel = ({ notice }: Part) => `Stop “${NOTICE_NAMES[notice]}”`
