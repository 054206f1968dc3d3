import * as operations from '#lib/identity/keys/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(operations.validateKey)
