import { queriesOf } from '#lib/api/client.ts'
import { calls } from './calls.ts'
import type * as contract from './contract.ts'

export const { listMembers, inviteMember, readMember, changeMember, makeMemberLink, withdrawInvitation } =
  queriesOf<typeof contract>(calls)
