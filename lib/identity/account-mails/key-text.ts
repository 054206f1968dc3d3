import 'server-only'
import type { DueMail } from './store.ts'

type AboutKey = Pick<DueMail, 'customer' | 'keyName' | 'keyEnds' | 'at' | 'about'>

/** What the owner of an API key is told: that it is about to end, or that somebody found it. */
export function keyText(
  event: 'key-ends' | 'key-leaked',
  { customer, keyName, keyEnds, at, about }: AboutKey,
  baseUrl: string,
): { subject: string; lines: string[] } {
  const key = `The API key "${keyName ?? ''}" for the licenses and invoices of ${customer}`
  if (event === 'key-ends') {
    const ends = keyEnds ? ` on ${minuteOf(keyEnds)}` : ' soon'
    return {
      subject: 'An API key is about to end',
      lines: [
        `${key} ends${ends}. What uses it is refused from then on.`,
        `If it is still needed, rotate it: you get another one, and both work until you have replaced it.\n${baseUrl}/keys`,
      ],
    }
  }
  const more = about === null ? '' : ` With it ended what it was rotated into: ${about} keys in all.`
  return {
    subject: 'An API key was found and revoked',
    lines: [
      `${key} was revoked on ${minuteOf(at)}: what uses it is refused. Somebody had found it where others can read it, and showed it to us.${more}`,
      `Look at what was done with it, issue another one, and remove the old one from where it was found:\n${baseUrl}/keys`,
    ],
  }
}

function minuteOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
