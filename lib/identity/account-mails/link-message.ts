import 'server-only'
import type { DueLink } from '#lib/identity/access/links/mails.ts'
import type { Message } from '#lib/platform/mail/mailer.ts'
import { NO_ANSWER } from './message.ts'

const SIGNATURE = '-- \nThis address gets what concerns the safety of its account. It can not be turned off.'

/** A mail with which a member takes up a membership, or sets its password anew; text alone. */
export function linkMessage({ kind, secret, customer }: DueLink, baseUrl: string): Message {
  const link = `${baseUrl}/${kind}/${secret}`
  if (kind === 'reset')
    return resetOf(`An Admin of ${customer} has asked for a new password for your account.`, link)
  return messageOf('You are invited', [
    `You are invited to the licenses and invoices of ${customer}.`,
    `To accept, open this link within 7 days. It works once.\n${link}`,
    'If you do not know why you get this mail, there is nothing to do: without the link nobody gets in with your address.',
  ])
}

/** The mail for whoever has forgotten a password; text alone. */
export function recoveryMessage(secret: string, baseUrl: string): Message {
  return resetOf('Somebody has asked for a new password for your account.', `${baseUrl}/reset/${secret}`)
}

function resetOf(why: string, link: string): Message {
  return messageOf('Set a new password', [
    `${why} It will open all that you have here, and sign you out wherever you are signed in.`,
    `To set one, open this link within 30 minutes. It works once.\n${link}`,
    'If you did not expect this, there is nothing to do: your password stays as it is.',
  ])
}

function messageOf(subject: string, paragraphs: string[]): Message {
  return { subject, text: `${[...paragraphs, SIGNATURE].join('\n\n')}\n`, headers: NO_ANSWER }
}
