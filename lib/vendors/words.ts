import 'server-only'

const LONGEST = 300

/** What a vendor said, on one line and cut to 300 characters, for people and logs. */
export function oneLine(said: string): string {
  return said
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST)
}

/** A text without the secrets that were sent, where it repeats them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}
