import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readScimProvider: 'GET /scim/v2/ServiceProviderConfig',
  listScimResourceTypes: 'GET /scim/v2/ResourceTypes',
  readScimResourceType: 'GET /scim/v2/ResourceTypes/{name}',
  listScimSchemas: 'GET /scim/v2/Schemas',
  readScimSchema: 'GET /scim/v2/Schemas/{name}',
  listScimUsers: 'GET /scim/v2/Users',
  createScimUser: 'POST /scim/v2/Users',
  readScimUser: 'GET /scim/v2/Users/{user_id}',
  replaceScimUser: 'PUT /scim/v2/Users/{user_id}',
  patchScimUser: 'PATCH /scim/v2/Users/{user_id}',
  deleteScimUser: 'DELETE /scim/v2/Users/{user_id}',
  listScimGroups: 'GET /scim/v2/Groups',
  createScimGroup: 'POST /scim/v2/Groups',
  readScimGroup: 'GET /scim/v2/Groups/{group_id}',
  replaceScimGroup: 'PUT /scim/v2/Groups/{group_id}',
  patchScimGroup: 'PATCH /scim/v2/Groups/{group_id}',
  deleteScimGroup: 'DELETE /scim/v2/Groups/{group_id}',
})
