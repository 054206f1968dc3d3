import 'server-only'
import { randomBytes } from 'node:crypto'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { RECOVERY_CODES } from './rules.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** New codes of 80 random bits each, as they are shown: `ABCD-EFGH-IJKL-MNOP`. */
export function newCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = Array.from(randomBytes(16), (byte) => LETTERS[byte % LETTERS.length])
    return letters.join('').replaceAll(/(.{4})(?=.)/g, '$1-')
  })
}

/** What is kept of a code. @param code without its hyphens */
export function digestOfCode(personId: string, code: string): string {
  return digestOf(`recovery code of ${personId} ${code}`)
}
