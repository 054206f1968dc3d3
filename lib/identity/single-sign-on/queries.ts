import { queriesOf } from '#lib/platform/api/client.ts'
import { calls } from './calls.ts'
import type * as contract from './contract.ts'

export const {
  readSignOn,
  addIdentityProvider,
  changeIdentityProvider,
  removeIdentityProvider,
  addSignOnDomain,
  checkSignOnDomain,
  removeSignOnDomain,
  setPasswordSignIn,
} = queriesOf<typeof contract>(calls)
