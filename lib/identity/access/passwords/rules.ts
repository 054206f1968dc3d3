/** Length limits in characters, both inclusive. */
export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 200

/** Owner of a password, whose public details it must not be built from. */
export type Owner = { name: string; email: string; customerName: string; customerDomain: string }

/** Fewest characters of a password that must be left without public details of its owner. */
const MIN_UNRELATED_CHARACTERS = 8
/** Shorter terms appear in many passwords by chance. */
const MIN_TERM_LENGTH = 4

/**
 * Returns the violation of a new password by itself, as the end of a sentence that begins with "The password";
 * undefined: acceptable. The long list of common passwords is checked separately.
 * @param isCurrent whether it equals the owner's current password
 */
export function validatePassword(password: string, owner: Owner, isCurrent = false): string | undefined {
  const { length } = password
  if (length < PASSWORD_MIN) return `must have at least ${PASSWORD_MIN} characters`
  if (length > PASSWORD_MAX) return `must have at most ${PASSWORD_MAX} characters`
  if (isCurrent) return 'is the one that you have now'
  if (new Set(plain(password)).size === 1) return 'is one character, repeated'
  if (isAbout(password, [owner.email, ...termsOf(owner.email)]))
    return 'is little more than your email address'
  if (isAbout(password, termsOf(owner.name))) return 'is little more than your name'
  if (isAbout(password, [...termsOf(owner.customerDomain), ...termsOf(owner.customerName)]))
    return "is little more than your company's name or domain"
  return undefined
}

/**
 * Returns the forms to look up in a list of common passwords: the password, and its core without surrounding digits and
 * signs.
 */
export function commonForms(password: string): string[] {
  const text = plain(password)
  const bare = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return bare.length < MIN_TERM_LENGTH ? [text] : [text, bare]
}

/** Normalizes a text: letter case and accents do not make a password harder to guess. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

function termsOf(text: string): string[] {
  const terms = plain(text).split(/[^\p{L}\p{N}]+/u)
  return [plain(text).replace(/[^\p{L}\p{N}]+/gu, ''), ...terms].filter(
    (term) => term.length >= MIN_TERM_LENGTH,
  )
}

/** Returns whether too little is left of a password without these terms. The longest terms are removed first. */
function isAbout(password: string, terms: readonly string[]): boolean {
  const longestFirst = terms.map(plain).toSorted((a, b) => b.length - a.length)
  const left = longestFirst.reduce((rest, term) => rest.replaceAll(term, ''), plain(password))
  return left !== plain(password) && left.length < MIN_UNRELATED_CHARACTERS
}
