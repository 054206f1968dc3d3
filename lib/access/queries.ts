import { callOf } from '#lib/api/client.ts'
import type * as contract from './contract.ts'

export const changePassword = callOf<typeof contract.changePassword>({
  name: 'changePassword',
  method: 'PUT',
  path: '/auth/v1/password',
})
