import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { runAsRequest } from './requests.ts'

// Sends one PATCH in a separate process, which is killed during it. The last argument is the PATCH's id.

const [database = '', key = '', id = '', quantity = '', requestId = ''] = process.argv.slice(2)
const opened = openDatabase(database)
const body = JSON.stringify({ quantity: Number(quantity) })
const headers = {
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'content-length': `${body.length}`,
  'request-id': requestId,
}
const url = `http://console.example/billing/v1/assets/${id}`
const request = new Request(url, { method: 'PATCH', headers, body })
const response = await runAsRequest(requestId, () => route(setQuantity).PATCH(request))
process.stdout.write(String(response.status))
await opened.close()
