import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { isSigned, sign } from '#lib/platform/runtime/secrets.ts'

/** Recipient that a link in a mail speaks for, and the notices that it stops: one kind, or `all`. */
export type NoticeLink = { customerId: CustomerId; recipientId: string; notice: string }

/** Length in characters beyond which a text is not one of our links. */
const MAX_LENGTH = 2000

const PURPOSE = 'links in notices'
const CONFIRMATION = 'links that confirm addresses'

/**
 * Returns a signed capability for the holder of one of our mails: it needs no sign-in, contains no address, and never
 * expires, because mails are kept. It can stop and restart notices to that recipient, and nothing else.
 */
export function noticeLink({ customerId, recipientId, notice }: NoticeLink): string {
  return signed(PURPOSE, [customerId, recipientId, notice])
}

/** Reads and verifies a link; undefined where the signature is wrong, including one by an older SESSION_SECRET. */
export function readNoticeLink(text: string): NoticeLink | undefined {
  const [customerId, recipientId = '', notice = ''] = verified(PURPOSE, text) ?? []
  return customerId === undefined ? undefined : { customerId: customerId as CustomerId, recipientId, notice }
}

/** Request of an Admin that a link in a mail confirms or declines. */
export type ConfirmationLink = { customerId: CustomerId; confirmationId: string }

/** Returns a signed capability for the holder of the mail. The request decides how often and until when it works. */
export function confirmationLink({ customerId, confirmationId }: ConfirmationLink): string {
  return signed(CONFIRMATION, [customerId, confirmationId])
}

/** Like `readNoticeLink`, for links that confirm an address. */
export function readConfirmationLink(text: string): ConfirmationLink | undefined {
  const [customerId, confirmationId = ''] = verified(CONFIRMATION, text) ?? []
  return customerId === undefined ? undefined : { customerId: customerId as CustomerId, confirmationId }
}

function signed(purpose: string, values: readonly string[]): string {
  const content = Buffer.from(JSON.stringify(values)).toString('base64url')
  return `${content}.${sign(purpose, content).toString('base64url')}`
}

function verified(purpose: string, text: string): string[] | undefined {
  const [content = '', signature = '', ...more] = text.length > MAX_LENGTH ? [] : text.split('.')
  if (more.length > 0 || !isSigned(signature, purpose, content)) return undefined
  return JSON.parse(Buffer.from(content, 'base64url').toString())
}
