import { type MailKind, mailChannel } from './mail.ts'
import { deliverDue } from './worker.ts'

/** Sends the due mails of these kinds, and returns how many were sent. */
export function sendDueMails(
  kinds: readonly MailKind[],
  requestId = 'test',
  signal = new AbortController().signal,
): Promise<number> {
  return deliverDue(mailChannel(kinds), { requestId, signal })
}
