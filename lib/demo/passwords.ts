import { fittingOf } from '#lib/identity/access/password.ts'
import { findPerson } from '#lib/identity/access/people/look-up.ts'
import { passwordsOf } from '#lib/identity/access/people/rules.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { DEMO_PASSWORD } from './load.ts'

/**
 * The e-mails of those who can't sign in with the demo's password any more. One after the other: each check takes a
 * core, and a busy machine would keep the database's connections waiting. Never throws: `fault` says why the checks
 * ended early.
 */
export async function changedPasswords(
  emails: readonly string[],
): Promise<{ changed: Set<string>; fault: string | undefined }> {
  const changed = new Set<string>()
  try {
    for (const email of emails) {
      const person = await findPerson(email)
      if (!(await fittingOf(DEMO_PASSWORD, person ? passwordsOf(person) : []))) changed.add(email)
    }
    return { changed, fault: undefined }
  } catch (error) {
    return { changed, fault: reasonOf(error) }
  }
}
