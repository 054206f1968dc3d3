/** In characters, both included. */
export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 200

/** Whose password it is. */
export type Owner = { name: string; email: string; customerName: string; customerDomain: string }

/** Fewer characters than these, beside what anybody knows of the owner, are no password of their own. */
const MIN_UNRELATED_CHARACTERS = 8
/** Shorter words are in many passwords by chance. */
const MIN_TERM_LENGTH = 4

/**
 * What is wrong with a new password as such, as it ends a sentence that begins with "The password"; undefined: nothing.
 * The list of common ones is asked apart, because it is long.
 * @param isCurrent whether it is the one that the owner has now
 */
export function validatePassword(password: string, owner: Owner, isCurrent = false): string | undefined {
  const { length } = password
  if (length < PASSWORD_MIN) return `must have at least ${PASSWORD_MIN} characters`
  if (length > PASSWORD_MAX) return `must have at most ${PASSWORD_MAX} characters`
  if (isCurrent) return 'is the one that you have now'
  if (new Set(plain(password)).size === 1) return 'is one character, repeated'
  if (isAbout(password, [owner.email, ...termsOf(owner.email)]))
    return 'is little more than your e-mail address'
  if (isAbout(password, termsOf(owner.name))) return 'is little more than your name'
  if (isAbout(password, [...termsOf(owner.customerDomain), ...termsOf(owner.customerName)]))
    return "is little more than your company's name or domain"
  return undefined
}

/** What a list of common passwords is asked for: the password, and what is left without digits and signs around it. */
export function commonForms(password: string): string[] {
  const text = plain(password)
  const bare = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return bare.length < MIN_TERM_LENGTH ? [text] : [text, bare]
}

/** Letters' case and form are no part of what makes a password hard to guess. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

function termsOf(text: string): string[] {
  const terms = plain(text).split(/[^\p{L}\p{N}]+/u)
  return [plain(text).replace(/[^\p{L}\p{N}]+/gu, ''), ...terms].filter(
    (term) => term.length >= MIN_TERM_LENGTH,
  )
}

/** Whether too little is left of a password without these words, the longest of which are taken off first. */
function isAbout(password: string, terms: readonly string[]): boolean {
  const longestFirst = terms.map(plain).toSorted((a, b) => b.length - a.length)
  const left = longestFirst.reduce((rest, term) => rest.replaceAll(term, ''), plain(password))
  return left !== plain(password) && left.length < MIN_UNRELATED_CHARACTERS
}
