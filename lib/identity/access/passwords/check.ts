import 'server-only'
import { commonForms, type Owner, validatePassword } from './rules.ts'

/** Number of the most common leaked passwords that are also rejected with digits and signs around them. */
const MAX_COMMON = 10_000

type PasswordLists = { leaked: Set<string>; common: Set<string> }
let lists: Promise<PasswordLists> | undefined

/**
 * Returns the violation of a new password, as the end of a sentence that begins with "The password"; undefined:
 * acceptable.
 * @param isCurrent whether it equals the owner's current password
 */
export async function checkPassword(
  password: string,
  owner: Owner,
  isCurrent = false,
): Promise<string | undefined> {
  const violation = validatePassword(password, owner, isCurrent)
  if (violation !== undefined) return violation
  lists ??= load()
  const { leaked, common } = await lists
  const [whole = '', ...bare] = commonForms(password)
  if (common.has(whole)) return 'is one of the 10,000 most common ones'
  if (bare.some((form) => common.has(form)))
    return 'is one of the 10,000 most common ones, with digits or signs around it'
  if (leaked.has(whole)) return 'is on a list of passwords that were leaked'
  return undefined
}

/** Loads the lists with the first new password: they take some megabytes, and most processes never need them. */
async function load(): Promise<PasswordLists> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const leaked = dictionary['passwords-common']
  return { leaked: new Set(leaked), common: new Set(leaked.slice(0, MAX_COMMON)) }
}
