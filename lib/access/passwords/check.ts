import 'server-only'
import { commonForms, type Owner, passwordFault } from './rules.ts'

/** So many of the list, which has the most common one first. */
const MOST_COMMON = 10_000

let common: Promise<Set<string>> | undefined

/**
 * What is wrong with a new password, as it ends a sentence that begins with "The password"; undefined: nothing.
 * @param isCurrent whether it is the one that the owner has now
 */
export async function faultOf(
  password: string,
  owner: Owner,
  isCurrent = false,
): Promise<string | undefined> {
  const fault = passwordFault(password, owner, isCurrent)
  if (fault !== undefined) return fault
  common ??= loadCommon()
  const known = await common
  if (known.has(commonForms(password)[0] ?? '')) return 'is one of the 10,000 most common ones'
  if (commonForms(password).some((form) => known.has(form)))
    return 'is one of the 10,000 most common ones, with digits or signs around it'
  return undefined
}

/** Loaded with the first password that is set: it takes half a megabyte, and most processes never need it. */
async function loadCommon(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].slice(0, MOST_COMMON))
}
