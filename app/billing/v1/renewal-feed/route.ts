import { route } from '#lib/api/endpoint.ts'
import * as operations from '#lib/renewal-feeds/operations.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.readRenewalFeed,
  operations.makeRenewalFeed,
  operations.revokeRenewalFeed,
)
