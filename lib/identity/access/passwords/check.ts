import 'server-only'
import { commonForms, type Owner, validatePassword } from './rules.ts'

/** So many of the list of leaked ones, which has the most common one first, are refused with anything around them, too. */
const MAX_COMMON = 10_000

type PasswordLists = { leaked: Set<string>; common: Set<string> }
let lists: Promise<PasswordLists> | undefined

/**
 * What is wrong with a new password, as it ends a sentence that begins with "The password"; undefined: nothing.
 * @param isCurrent whether it is the one that the owner has now
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

/** Loaded with the first password that is set: it takes some megabytes, and most processes never need it. */
async function load(): Promise<PasswordLists> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const leaked = dictionary['passwords-common']
  return { leaked: new Set(leaked), common: new Set(leaked.slice(0, MAX_COMMON)) }
}
