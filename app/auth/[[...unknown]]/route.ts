import { unknownPath } from '#lib/platform/api/endpoint.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = unknownPath()
