import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { isSigned, sign } from '#lib/platform/runtime/secrets.ts'

/** Recipient that a link in a mail speaks for, and the notices that it stops: one kind, or `all`. */
export type NoticeLink = { customerId: CustomerId; recipientId: string; notice: string }

/** Length in characters beyond which a text is not one of our links. */
const MAX_LENGTH = 2000

const PURPOSE = 'links in notices'

/**
 * Returns a signed capability for the holder of one of our mails: it needs no sign-in, contains no address, and never
 * expires, because mails are kept. It can stop and restart notices to that recipient, and nothing else.
 */
export function noticeLink({ customerId, recipientId, notice }: NoticeLink): string {
  const content = Buffer.from(JSON.stringify([customerId, recipientId, notice])).toString('base64url')
  return `${content}.${sign(PURPOSE, content).toString('base64url')}`
}

/** Reads and verifies a link; undefined where the signature is wrong, including one by an older SESSION_SECRET. */
export function readNoticeLink(text: string): NoticeLink | undefined {
  const [content = '', signature = '', ...more] = text.length > MAX_LENGTH ? [] : text.split('.')
  if (more.length > 0 || !isSigned(signature, PURPOSE, content)) return undefined
  const [customerId, recipientId, notice] = JSON.parse(Buffer.from(content, 'base64url').toString())
  return { customerId: customerId as CustomerId, recipientId, notice }
}
