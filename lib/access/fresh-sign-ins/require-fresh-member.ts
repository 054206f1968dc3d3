import 'server-only'
import { Problem } from '#lib/api/problem.ts'
import type { Caller } from '../rules.ts'
import { requireFresh } from './require-fresh.ts'

/**
 * To be asked before anything is changed by which people get in. A key that was stolen must not make itself a way in that
 * outlives it: so a signed-in member changes it, who proved a short while ago who they are.
 * @throws Problem `permission_denied` for a key, `fresh_sign_in_required`
 */
export function requireFreshMember(caller: Caller): void {
  if (caller.via === 'key')
    throw new Problem('permission_denied', 'A signed-in Admin changes this, and no key.')
  requireFresh(caller)
}
