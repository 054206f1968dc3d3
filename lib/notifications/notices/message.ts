import { noticeLink } from '#lib/identity/access/notice-link.ts'
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
  return {
    subject: digest.subject,
    text: textOf(digest, page),
    html: htmlOf(digest, page),
    headers: {
      'List-Unsubscribe': `<${baseUrl}/api/unsubscribe?${stop('all')}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // RFC 3834: suppresses automatic replies such as absence notes.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
  }
}

type Page = (notice: string) => string

const WHY = 'This address gets notices of these kinds. One mail a day at most, and only when there is news.'
const stopLabel = ({ notice }: Part) => `Stop “${NOTICE_NAMES[notice]}”`

function textOf({ title, parts }: Digest, page: Page): string {
  const sections = parts.map(({ heading, lines, more, href }) =>
    [
      heading,
      '',
      ...lines.flatMap(({ id, amount, details, href, payHref }) => [
        `* ${id}: ${amount}`,
        ...details.map((detail) => `  ${detail}`),
        `  ${href}`,
        ...(payHref ? [`  Pay: ${payHref}`] : []),
      ]),
      ...(more ? [`  … ${more}:`, `  ${href}`] : []),
    ].join('\n'),
  )
  const stops = parts.map((part) => `${stopLabel(part)}:\n${page(part.notice)}`)
  return `${[title, ...sections, ['-- ', WHY].join('\n'), ...stops, `Stop all of them:\n${page('all')}`].join('\n\n')}\n`
}

function htmlOf({ title, parts }: Digest, page: Page): string {
  const link = (href: string, text: string) => `<a href="${escaped(href)}">${escaped(text)}</a>`
  const sections = parts.map(({ heading, lines, more, href }) => {
    const rows = lines.map(
      ({ id, amount, details, href, payHref }) =>
        `<li style="margin:0 0 10px">${link(href, id)}: <b>${escaped(amount)}</b><br>${[...details.map(escaped), ...(payHref ? [link(payHref, `Pay ${id}`)] : [])].join('<br>')}</li>`,
    )
    const rest = more ? `<p>… ${link(href, more)}</p>` : ''
    return `<h2 style="font-size:16px">${escaped(heading)}</h2>\n<ul>\n${rows.join('\n')}\n</ul>\n${rest}`
  })
  const stops = [
    ...parts.map((part) => link(page(part.notice), stopLabel(part))),
    link(page('all'), 'Stop all of them'),
  ]
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title></head>
<body style="font-family:sans-serif;font-size:14px;line-height:1.45">
<h1 style="font-size:18px">${escaped(title)}</h1>
${sections.join('\n')}
<hr>
<p style="font-size:12px">${escaped(WHY)}</p>
<p style="font-size:12px">${stops.join(' · ')}</p>
</body>
</html>
`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}
