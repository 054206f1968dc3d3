import 'server-only'
import type { AdminEvent } from '#lib/identity/access/sign-ins/account-mail.ts'
import type { DueMail } from './store.ts'

type Words = (what: { about: string; customer: string; time: string }) => { subject: string; lines: string[] }

const RESELLER = 'ask your reseller’s operator'

const WORDS: Record<AdminEvent, Words> = {
  'scim-token-leaked': ({ about, customer, time }) => ({
    subject: 'A token of your directory was found and revoked',
    lines: [
      `The SCIM token "${about}" for the licenses and invoices of ${customer} was shown to us on ${time} by somebody who had found it where others can read it. It was revoked at once: your directory adds and removes nobody until it has another one.`,
      `Look at what was done with it in the history, issue another token or ${RESELLER} for one, and remove the old one from where it was found.`,
    ],
  }),
  'domain-lost': ({ about, customer, time }) => ({
    subject: `The DNS record of ${about} is missing`,
    lines: [
      `The DNS of ${about} had no record any more on ${time} that proves that the domain is of ${customer}. Its people still sign in by single sign-on for the licenses and invoices.`,
      `If it is still missing seven days after that, they can not. Publish the record again; to know what it says, ${RESELLER}.`,
    ],
  }),
  'domain-ended': ({ about, customer, time }) => ({
    subject: `Single sign-on has ended for ${about}`,
    lines: [
      `The DNS of ${about} has had no record for seven days that proves that the domain is of ${customer}. Since ${time} nobody with such an address signs in by single sign-on for the licenses and invoices.`,
      `Publish the record again, and ${RESELLER} to verify it. Where the domain is yours no more, or nobody gets in any other way, ${RESELLER} to let you in.`,
    ],
  }),
}

/** What the Admins of a customer are told: that a token was found, or that a domain is not proven any more. */
export function adminText(event: AdminEvent, { about, customer, at }: DueMail) {
  const time = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return WORDS[event]({ about: about ?? '', customer, time })
}

/** Whether it is Admins that a mail is for. */
export function isForAdmins(event: DueMail['event']): event is AdminEvent {
  return event in WORDS
}
