import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { isSigned, sign } from '#lib/platform/runtime/secrets.ts'

/** Whom a link in a mail speaks for, and what it stops: a kind of notice, or `all`. */
export type NoticeLink = { customerId: CustomerId; recipientId: string; notice: string }

/** Longer ones are not ours. */
const MAX_LENGTH = 2000

const PURPOSE = 'links in notices'

/**
 * The proof that whoever holds it got one of our mails: it needs no sign-in, names no address, and has no end,
 * because mails are kept. It can stop and restart notices to that recipient, and nothing else.
 */
export function noticeLink({ customerId, recipientId, notice }: NoticeLink): string {
  const content = Buffer.from(JSON.stringify([customerId, recipientId, notice])).toString('base64url')
  return `${content}.${sign(PURPOSE, content).toString('base64url')}`
}

/** What a link says; undefined for what we have not signed, also with an older SESSION_SECRET. */
export function readNoticeLink(text: string): NoticeLink | undefined {
  const [content = '', signature = '', ...more] = text.length > MAX_LENGTH ? [] : text.split('.')
  if (more.length > 0 || !isSigned(signature, PURPOSE, content)) return undefined
  const [customerId, recipientId, notice] = JSON.parse(Buffer.from(content, 'base64url').toString())
  return { customerId: customerId as CustomerId, recipientId, notice }
}
