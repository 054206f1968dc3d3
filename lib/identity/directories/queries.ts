import { queriesOf } from '#lib/platform/api/client.ts'
import { calls } from './calls.ts'
import type * as contract from './contract.ts'

export const {
  readDirectory,
  issueDirectoryToken,
  revokeDirectoryToken,
  mapDirectoryGroup,
  unmapDirectoryGroup,
} = queriesOf<typeof contract>(calls)
