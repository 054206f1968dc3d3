import 'server-only'
import type { AdminEvent, OrderEvent } from '#lib/identity/access/sign-ins/account-mail.ts'
import { deviceOf } from '#lib/identity/sessions/device.ts'
import type { Message } from '#lib/platform/mail/mailer.ts'
import { adminText, isForAdmins } from './admin-text.ts'
import { keyText } from './key-text.ts'
import { isOfOrder, orderText } from './order-text.ts'
import type { DueMail } from './store.ts'

/** RFC 3834: nobody's absence note is for us. */
export const NO_ANSWER = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** What happened in words, and what to do if it was not the member. */
type Words = { subject: string; happened: (account: string) => string; otherwise: string }

const TELL = 'tell your administrator or your reseller at once.'
const CHANGE = `change your password, and ${TELL}`

/** What happens with an account, and not with a key, a token or a domain. */
type OfAccount = Exclude<DueMail['event'], AdminEvent | OrderEvent | 'key-ends' | 'key-leaked'>

const WORDS: Record<OfAccount, Words> = {
  'new-password': {
    subject: 'Your password was changed',
    happened: (account) =>
      `The password of ${account} was changed. Wherever else you were signed in, you were signed out.`,
    otherwise: TELL,
  },
  'new-device': {
    subject: 'New sign-in to your account',
    happened: (account) => `Somebody signed in to ${account} with a browser that it did not know.`,
    otherwise: 'sign that browser out and change your password:',
  },
  'factor-added': {
    subject: 'A second factor was set up',
    happened: (account) => `A second factor was set up for ${account}. Sign-in asks for it from now on.`,
    otherwise: CHANGE,
  },
  'factor-removed': {
    subject: 'A second factor was removed',
    happened: (account) => `A second factor of ${account} was removed.`,
    otherwise: CHANGE,
  },
  'factors-reset': {
    subject: 'Your second factors were reset',
    happened: (account) =>
      `The second factors of ${account} were taken away, as is done for who has lost them. You were signed out. Your password alone signs you in now, or lets you set up another one.`,
    otherwise: CHANGE,
  },
  'recovery-code-used': {
    subject: 'A recovery code was used',
    happened: (account) =>
      `A recovery code proved who you are, at ${account}. That code does not work again.`,
    otherwise: CHANGE,
  },
}

/** A mail that tells a member what happened with their account or a key, and what to do about it; text alone. */
export function messageOf(due: DueMail, baseUrl: string): Message {
  const { subject, lines } = textOf(due, baseUrl)
  const text = [
    ...lines,
    '-- \nThis address gets what concerns its account and what it ordered. It can not be turned off.',
  ]
  return { subject, text: `${text.join('\n\n')}\n`, headers: NO_ANSWER }
}

function textOf(due: DueMail, baseUrl: string) {
  const { event } = due
  if (event === 'key-ends' || event === 'key-leaked') return keyText(event, due, baseUrl)
  if (isOfOrder(event)) return orderText(event, due, baseUrl)
  return isForAdmins(event) ? adminText(event, due) : accountText(event, due, baseUrl)
}

function accountText(event: OfAccount, { customer, ...happened }: DueMail, baseUrl: string) {
  const { subject, happened: say, otherwise } = WORDS[event]
  const isWished = event === 'factors-reset' ? 'If you asked for that' : 'If that was you'
  const where = event === 'new-device' ? `\n${baseUrl}/sessions` : ''
  const lines = [
    say(`your account for the licenses and invoices of ${customer}`),
    factsOf(event, happened),
    `${isWished}, there is nothing to do. If it was not, ${otherwise}${where}`,
  ]
  return { subject, lines }
}

function factsOf(
  event: OfAccount,
  { at, address, userAgent }: Pick<DueMail, 'at' | 'address' | 'userAgent'>,
) {
  const time = `When:    ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  if (event === 'factors-reset')
    return `${time}\nBy whom: an Admin of your company, or your reseller's operator`
  if (event === 'new-password' && address === null) return `${time}\nBy whom: your reseller's operator`
  return [time, `Device:  ${deviceOf(userAgent)}`, `Address: ${address || 'not known'}`].join('\n')
}
