import 'server-only'
import type { Message } from '#lib/notices/message.ts'
import { deviceOf } from '#lib/sessions/device.ts'
import { keyText } from './key-text.ts'
import type { DueMail } from './store.ts'

/** RFC 3834: nobody's absence note is for us. */
export const NO_ANSWER = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** A mail that tells a member what happened with their account or a key, and what to do about it; text alone. */
export function messageOf(due: DueMail, baseUrl: string): Message {
  const { subject, lines } =
    due.event === 'key-ends' || due.event === 'key-leaked'
      ? keyText(due.event, due, baseUrl)
      : accountText(due.event, due, baseUrl)
  const text = [
    ...lines,
    '-- \nThis address gets what concerns the safety of its account. It can not be turned off.',
  ]
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    headers: NO_ANSWER,
  }
}

function accountText(
  event: 'new-password' | 'new-device',
  { customer, ...happened }: DueMail,
  baseUrl: string,
) {
  const isPassword = event === 'new-password'
  const lines = [
    isPassword
      ? `The password of your account for the licenses and invoices of ${customer} was changed. Wherever else you were signed in, you were signed out.`
      : `Somebody signed in to your account for the licenses and invoices of ${customer} with a browser that it did not know.`,
    factsOf(happened, isPassword),
    isPassword
      ? 'If that was you, there is nothing to do. If it was not, tell your administrator or your reseller at once.'
      : `If that was you, there is nothing to do. If it was not, sign that browser out and change your password:\n${baseUrl}/sessions`,
  ]
  return { subject: isPassword ? 'Your password was changed' : 'New sign-in to your account', lines }
}

function factsOf(
  { at, address, userAgent }: Pick<DueMail, 'at' | 'address' | 'userAgent'>,
  isPassword: boolean,
) {
  const time = `When:    ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  if (isPassword && address === null) return `${time}\nBy whom: your reseller's operator`
  return [time, `Device:  ${deviceOf(userAgent)}`, `Address: ${address || 'not known'}`].join('\n')
}
