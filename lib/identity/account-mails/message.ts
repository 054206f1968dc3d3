import 'server-only'
import type { MailedLink } from '#lib/identity/access/links/store.ts'
import type { AccountEvent, AdminEvent, RenewalEvent } from '#lib/identity/access/sign-ins/account-mail.ts'
import { deviceOf } from '#lib/identity/sessions/device.ts'
import { designedMail, type MailBlock } from '#lib/platform/mail/layout.ts'
import type { Message } from '#lib/platform/mail/mailer.ts'
import { dayText } from '#lib/platform/values/days.ts'

/** Event of a mail, with the names in it. */
export type MemberNotice = {
  event: AccountEvent
  at: Date
  address: string | null
  userAgent: string | null
  customer: string
  /** Name of the API key, for events of a key. */
  keyName: string | null
  keyEnds: Date | null
  /** Name of a further subject of the mail. */
  about: string | null
}

/** Event as text, and the advice if it was not the member. */
type AccountText = { subject: string; happened: (account: string) => string; otherwise: string }

const CONTACT_ADVICE = 'tell your administrator or your reseller immediately.'
const CHANGE = `change your password, and ${CONTACT_ADVICE}`

/** What happens with an account, and not with a key, a token or a domain. */
type OfAccount = Exclude<AccountEvent, AdminEvent | RenewalEvent | 'key-ends' | 'key-leaked'>

const ACCOUNT_TEXTS: Record<OfAccount, AccountText> = {
  'new-password': {
    subject: 'Your password was changed',
    happened: (account) => `The password of ${account} was changed. You were signed out everywhere else.`,
    otherwise: CONTACT_ADVICE,
  },
  'new-device': {
    subject: 'New sign-in to your account',
    happened: (account) => `Someone signed in to ${account} from a new browser.`,
    otherwise: 'sign that browser out and change your password.',
  },
  'factor-added': {
    subject: 'Two-step verification was set up',
    happened: (account) =>
      `Two-step verification was set up for ${account}. Sign-in asks for it from now on.`,
    otherwise: CHANGE,
  },
  'factor-removed': {
    subject: 'A verification method was removed',
    happened: (account) => `A verification method of ${account} was removed.`,
    otherwise: CHANGE,
  },
  'factors-reset': {
    subject: 'Your two-step verification was reset',
    happened: (account) =>
      `Two-step verification of ${account} was reset, as is done for members who lost it. You were signed out. You can now sign in with only your password, and set it up again.`,
    otherwise: CHANGE,
  },
  'factor-refused': {
    subject: 'Your password was entered with a wrong verification code',
    happened: (account) =>
      `The password of ${account} was entered correctly, but with a wrong verification code. The sign-in was refused.`,
    otherwise: `someone knows your password: change it, and ${CONTACT_ADVICE}`,
  },
  'recovery-code-used': {
    subject: 'A recovery code was used',
    happened: (account) => `A recovery code was used for ${account}. It cannot be used again.`,
    otherwise: CHANGE,
  },
}

/** Subject, which is the title, too, and content of a mail. */
type Content = { subject: string; blocks: MailBlock[] }

const WHY =
  'You get this email because it is about your account or one of your orders. It cannot be turned off.'

/** Returns the mail that notifies a member of an event with their account or a key, and of possible actions. */
export function messageOf(due: MemberNotice, baseUrl: string): Message {
  const { subject, blocks } = contentOf(due, baseUrl)
  return designedMail({ subject, title: subject, company: due.customer, blocks, why: WHY })
}

function contentOf(due: MemberNotice, baseUrl: string): Content {
  const { event } = due
  if (event === 'key-ends' || event === 'key-leaked') return keyContent(event, due, baseUrl)
  if (isOfRenewal(event)) return renewalContent(event, due, baseUrl)
  return isForAdmins(event) ? adminContent(event, due) : accountContent(event, due, baseUrl)
}

function accountContent(event: OfAccount, { customer, ...happened }: MemberNotice, baseUrl: string): Content {
  const { subject, happened: eventText, otherwise } = ACCOUNT_TEXTS[event]
  const isWished = event === 'factors-reset' ? 'If you requested this' : 'If this was you'
  const review = { button: { label: 'Review your sessions', href: `${baseUrl}/sessions` } }
  return {
    subject,
    blocks: [
      { text: eventText(`your account for the licenses and invoices of ${customer}`) },
      { values: valuesOf(event, happened) },
      { text: `${isWished}, there is nothing to do. If it was not, ${otherwise}` },
      ...(event === 'new-device' ? [review] : []),
    ],
  }
}

function valuesOf(
  event: OfAccount,
  { at, address, userAgent }: Pick<MemberNotice, 'at' | 'address' | 'userAgent'>,
): [string, string][] {
  const time: [string, string] = ['When', minuteOf(at)]
  if (event === 'factors-reset')
    return [time, ['By whom', "an Admin of your company, or your reseller's operator"]]
  if (event === 'new-password' && address === null) return [time, ['By whom', "your reseller's operator"]]
  return [time, ['Device', deviceOf(userAgent)], ['Address', address || 'not known']]
}

type AdminText = (what: { about: string; customer: string; time: string }) => {
  subject: string
  lines: string[]
}

const RESELLER = 'ask your reseller’s operator'

const ADMIN_TEXTS: Record<AdminEvent, AdminText> = {
  'scim-token-leaked': ({ about, customer, time }) => ({
    subject: 'A leaked token of your directory was revoked',
    lines: [
      `The SCIM token "${about}" for the licenses and invoices of ${customer} was shown to us on ${time} by someone who found it in a public place. It was revoked immediately: your directory cannot add or remove members until it has a new token.`,
      `Check the audit log for what was done with it, create a new token or ${RESELLER} for one, and remove the old one from where it was found.`,
    ],
  }),
  'domain-lost': ({ about, customer, time }) => ({
    subject: `The DNS record of ${about} is missing`,
    lines: [
      `On ${time}, the DNS of ${about} no longer had the record that proves it belongs to ${customer}. People there can still sign in with single sign-on.`,
      `If it is still missing seven days after that, they cannot. Publish the record again. For its text, ${RESELLER}.`,
    ],
  }),
  'webhook-paused': ({ about, customer, time }) => ({
    subject: 'A webhook was paused',
    lines: [
      `The webhook "${about}" for the licenses and invoices of ${customer} was paused on ${time}. Its receiver did not accept an event for three days, or its Admin has lost access.`,
      'No event is lost: events wait for 30 days. Check the receiver and the deliveries in Settings, Webhooks, and resume the webhook there.',
    ],
  }),
  'domain-ended': ({ about, customer, time }) => ({
    subject: `Single sign-on has ended for ${about}`,
    lines: [
      `For seven days, the DNS of ${about} has had no record that proves that the domain belongs to ${customer}. Since ${time}, addresses of this domain have not been able to use single sign-on for the licenses and invoices.`,
      `Publish the record again, and ${RESELLER} to verify it. If the domain is no longer yours, or no one can sign in another way, ${RESELLER} for access.`,
    ],
  }),
}

/** Returns the mail for the Admins of a customer: about a leaked token, a domain, or a webhook. */
function adminContent(event: AdminEvent, { about, customer, at }: MemberNotice): Content {
  const { subject, lines } = ADMIN_TEXTS[event]({ about: about ?? '', customer, time: minuteOf(at) })
  return { subject, blocks: lines.map((text) => ({ text })) }
}

/** Whether it is Admins that a mail is for. */
function isForAdmins(event: AccountEvent): event is AdminEvent {
  return event in ADMIN_TEXTS
}

type AboutKey = Pick<MemberNotice, 'customer' | 'keyName' | 'keyEnds' | 'at' | 'about'>

/** Returns the mail for the owner of an API key: the key is about to end, or was published. */
function keyContent(
  event: 'key-ends' | 'key-leaked',
  { customer, keyName, keyEnds, at, about }: AboutKey,
  baseUrl: string,
): Content {
  const key = `The API key "${keyName ?? ''}" for the licenses and invoices of ${customer}`
  const button = { label: 'View API keys', href: `${baseUrl}/keys` }
  if (event === 'key-ends') {
    const ends = keyEnds ? ` on ${minuteOf(keyEnds)}` : ' soon'
    return {
      subject: 'An API key is about to expire',
      blocks: [
        { text: `${key} expires${ends}. After that, requests with it are refused.` },
        {
          text: 'If you still need it, rotate it: you get a new key, and both work until you have replaced the old one.',
        },
        { button },
      ],
    }
  }
  const more = about === null ? '' : ` So were the keys that it was rotated into, ${about} keys in total.`
  return {
    subject: 'A leaked API key was revoked',
    blocks: [
      {
        text: `${key} was revoked on ${minuteOf(at)}: programs that use it are refused. Someone found it in a public place and reported it.${more}`,
      },
      {
        text: 'Check what was done with it, create a new key, and remove the old one from where it was found.',
      },
      { button },
    ],
  }
}

const RENEWAL_TEXTS: Record<
  RenewalEvent,
  { subject: string; about: string; otherwise: string; act: string }
> = {
  'renewal-near': {
    subject: 'The term of a plan ends soon',
    about: 'This order is for the licenses of',
    otherwise: 'If it is still right, there is nothing to do. You can change or withdraw it until that day.',
    act: 'Review renewals',
  },
  'renewal-unclear': {
    subject: 'A renewal order needs to be checked',
    about: 'The vendor may not carry it out as ordered. It is for the licenses of',
    otherwise: 'Your reseller has been informed. You get this email once a day until it is resolved.',
    act: 'Review renewals',
  },
  'renewal-not-done': {
    subject: 'A renewal order was not carried out',
    about: 'It was for the licenses of',
    otherwise: 'Check the present licenses of the plan.',
    act: 'View renewals',
  },
}

/** Returns the mail about an order for a next term: its term ends soon, or it came to nothing, or it needs a look. */
function renewalContent(
  event: RenewalEvent,
  { customer, about }: Pick<MemberNotice, 'customer' | 'about'>,
  baseUrl: string,
): Content {
  const { subject, about: aboutText, otherwise, act } = RENEWAL_TEXTS[event]
  const blocks = [about ?? '', `${aboutText} ${customer}.`, otherwise].filter(Boolean)
  return {
    subject,
    blocks: [
      ...blocks.map((text) => ({ text })),
      { button: { label: act, href: `${baseUrl}/assets/renewals` } },
    ],
  }
}

/** Whether it is about an order for a next term. */
function isOfRenewal(event: AccountEvent): event is RenewalEvent {
  return event === 'renewal-near' || event === 'renewal-not-done' || event === 'renewal-unclear'
}

function minuteOf(at: Date): string {
  return `${dayText(at.getTime())}, ${at.toISOString().slice(11, 16)} UTC`
}

const SAFETY = 'You get this email because it is about the security of your account. It cannot be turned off.'

/** Returns the mail with a link that accepts a membership or sets a new password. */
export function linkMail({ kind, secret, customer }: MailedLink, baseUrl: string): Message {
  const href = `${baseUrl}/${kind}/${secret}`
  if (kind === 'reset')
    return resetOf(`An Admin of ${customer} requested a new password for your account.`, customer, href)
  const content = {
    subject: `You are invited to the licenses and invoices of ${customer}`,
    title: 'You are invited',
    company: customer,
    blocks: [
      { text: `You are invited to the licenses and invoices of ${customer}.` },
      { text: 'To accept, open this link within 7 days. It works once.' },
      { button: { label: 'Accept the invitation', href } },
      {
        text: 'If you didn’t expect this email, ignore it: no one can sign in with your address without the link.',
      },
    ],
    why: SAFETY,
  }
  return designedMail(content)
}

/** Returns the mail with a recovery link for a forgotten password, of an account at a customer. */
export function recoveryMail(
  { secret, customer }: { secret: string; customer: string },
  baseUrl: string,
): Message {
  return resetOf(
    `Someone requested a new password for your account at ${customer}.`,
    customer,
    `${baseUrl}/reset/${secret}`,
  )
}

function resetOf(reason: string, company: string, href: string): Message {
  const content = {
    subject: 'Set a new password',
    title: 'Set a new password',
    company,
    blocks: [
      {
        text: `${reason} It is for all companies that you can access here. Setting it signs you out everywhere.`,
      },
      { text: 'To set one, open this link within 30 minutes. It works once.' },
      { button: { label: 'Set a new password', href } },
      { text: 'If you did not expect this, ignore this email. Your password stays the same.' },
    ],
    why: SAFETY,
  }
  return designedMail(content)
}
