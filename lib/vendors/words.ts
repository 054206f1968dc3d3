import 'server-only'

const LONGEST = 300

/** What a vendor said, on one line, for people and logs; of more than 300 characters the first, with the sign for more. */
export function oneLine(said: string): string {
  const line = said.replace(/[\p{C}\s]+/gu, ' ').trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).trimEnd()}…` : line
}

/** A text without the secrets that were sent, where it repeats them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}
