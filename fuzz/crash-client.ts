import { route } from '#lib/api/endpoint.ts'
import { openDatabase } from '#lib/db/client.ts'
import { setQuantity } from '#lib/license-changes/operations.ts'

// One PATCH in a process of its own, which is killed in the midst of it.

const [database = '', key = '', id = '', quantity = ''] = process.argv.slice(2)
const opened = openDatabase(database)
const body = JSON.stringify({ quantity: Number(quantity) })
const headers = {
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'content-length': `${body.length}`,
}
const url = `http://console.example/billing/v1/assets/${id}`
const response = await route(setQuantity).PATCH(new Request(url, { method: 'PATCH', headers, body }))
process.stdout.write(String(response.status))
await opened.close()
