import * as operations from '#lib/identity/single-sign-on/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.changeIdentityProvider,
  operations.removeIdentityProvider,
)
