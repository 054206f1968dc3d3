import 'server-only'
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { sessionSecret } from '#lib/platform/caller/session-cookie.ts'

/** Whom a link in a mail speaks for, and what it stops: a kind of notice, or `all`. */
export type NoticeLink = { customerId: CustomerId; recipientId: string; notice: string }

/** Longer ones are not ours. */
const LONGEST = 2000

/**
 * The proof that whoever holds it got one of our mails: it needs no sign-in, names no address, and has no end,
 * because mails are kept. It can stop and restart notices to that recipient, and nothing else.
 */
export function noticeLink({ customerId, recipientId, notice }: NoticeLink): string {
  const content = Buffer.from(JSON.stringify([customerId, recipientId, notice])).toString('base64url')
  return `${content}.${signature(content)}`
}

/** What a link says; undefined for what we have not signed, also with an older SESSION_SECRET. */
export function readNoticeLink(text: string): NoticeLink | undefined {
  const [content = '', given = '', ...more] = text.length > LONGEST ? [] : text.split('.')
  if (more.length > 0 || !isSame(given, signature(content))) return undefined
  const [customerId, recipientId, notice] = JSON.parse(Buffer.from(content, 'base64url').toString())
  return { customerId: customerId as CustomerId, recipientId, notice }
}

function signature(content: string): string {
  // A key of its own: what encrypts cookies signs nothing that outsiders get to see.
  const key = hkdfSync('sha256', sessionSecret(), '', 'links in notices', 32)
  return createHmac('sha256', Buffer.from(key)).update(content).digest('base64url')
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
