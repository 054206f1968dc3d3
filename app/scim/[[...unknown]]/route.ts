import { unknownPath } from '#lib/api/endpoint.ts'
import { SCIM } from '#lib/scim/protocol.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = unknownPath(SCIM)
