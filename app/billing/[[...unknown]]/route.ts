import { unknownPath } from '#lib/api/endpoint.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = unknownPath()
