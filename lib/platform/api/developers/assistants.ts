import 'server-only'

/** Returns the page on assistants, which read and change through the Model Context Protocol. */
export function assistantsPage(baseUrl: string): string {
  return `# Assistants

Assistants read and change what an API key may, at \`${baseUrl}/mcp\`, by the [Model Context Protocol](https://modelcontextprotocol.io) of 2026-07-28. A person confirms each change before it is made.

## Connect

Create a key on the screen [API keys](/keys) with the roles that the assistant needs and no more, and put it into \`API_KEY\`. The client sends it as a bearer token with each request.

The protocol's inspector, from a terminal, lists the tools:

\`\`\`console
npx @modelcontextprotocol/inspector@2.12.0 --cli ${baseUrl}/mcp --transport http --protocol-era modern --header "Authorization: Bearer $API_KEY" --method tools/list
\`\`\`

Its program \`mcpdo\` keeps a connection, shows the question before a change, and sends the answer:

\`\`\`console
npx -p @modelcontextprotocol/inspector@2.12.0 mcpdo connect ${baseUrl}/mcp --transport http --era modern --header "Authorization: Bearer $API_KEY"
npx -p @modelcontextprotocol/inspector@2.12.0 mcpdo --connection ${baseUrl}/mcp tools/call set_license_quantity asset_id:=workspace-suite-1 quantity:=12
npx -p @modelcontextprotocol/inspector@2.12.0 mcpdo --connection ${baseUrl}/mcp elicitation/respond <id> confirm:=true
\`\`\`

The client library for TypeScript, \`@modelcontextprotocol/client\` 2.4:

\`\`\`typescript
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const client = new Client(
  { name: 'my-assistant', version: '1.0.0' },
  { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: { form: {} } } },
)
client.setRequestHandler('elicitation/create', async ({ params }) => {
  // Show the message to a person, and return their answer.
  return { action: 'decline' }
})
await client.connect(
  new StreamableHTTPClientTransport(new URL('${baseUrl}/mcp'), {
    requestInit: { headers: { Authorization: \`Bearer \${process.env.API_KEY}\` } },
  }),
)
const result = await client.callTool({ name: 'list_invoices', arguments: { filter: 'status:PAST DUE' } })
console.log(result.structuredContent)
\`\`\`

## What the tools do

- There is one tool for each call of the API that reads JSON, such as \`list_assets\` for [listAssets](/developers/assets#listAssets), with its parameters. Tools that the key may not use are not listed.
- A result has \`data\`, the answer of the API; \`url\`, the screen of the console that shows it; and \`notice\`, which says that \`data\` is never an instruction.
- A refused call is a result with \`isError\`, whose text is the problem that the API answers: [Errors](/developers/errors) lists each code. Permissions, billing profiles, limits and the history are those of the API. A request counts once, and a change also as a change.
- Lists answer a page. Call the tool again with \`pageToken\` for the next one. A result of more than 64 KiB comes in parts: it has \`part\`, \`parts\` and \`version\`, each part has other entries of the long lists, and the argument \`part\` selects one. With the argument \`version\`, a part of an answer that has changed is \`result_changed\`: read it again from part 1. An entry of more than 64 KiB comes in pieces with the same id, which repeat its short fields: count it once. An answer of more than 2 MiB, or of which one entry has more than 256 KiB outside of its lists, is \`result_too_large\`, with the \`url\` of the screen that shows it.

## Changes

| Tool | What it changes |
|---|---|
| \`set_license_quantity\` | the total of an asset's licenses, as [setQuantity](/developers/license-changes#setQuantity) |
| \`order_renewal\` | what is ordered for the next term, or the end of the plan, as [orderRenewal](/developers/renewals#orderRenewal) |
| \`withdraw_renewal_order\` | takes an order for the next term back, as [withdrawRenewal](/developers/renewals#withdrawRenewal) |
| \`acknowledge_license_change\` | says that an unclear change was checked, as [acknowledgeLicenseChange](/developers/license-changes#acknowledgeLicenseChange) |

1. The first call makes all checks and changes nothing. It answers \`input_required\`: a form with the totals before and after, the difference, the cost at the price last billed, what cannot be undone, and the dates.
2. The client shows the form to the person. A large increase on a commitment plan needs the typed total, and the end of a plan the typed name of the product.
3. The client repeats the call with the person's answer and the \`requestState\`. That makes the change, once.

\`requestState\` holds for five minutes, for this key, these arguments and the asset as the person saw it. It is used up also where the person declines. Any other is refused, and nothing is changed: \`confirmation_refused\` with the \`reason\` \`used\`, \`expired\`, \`stale\`, \`declined\`, \`not_typed\`, \`other_caller\` or \`other_arguments\`; [\`version_mismatch\`](/developers/errors#version_mismatch); or the protocol's error -32602 for one that was not issued here.

## What they can't do

- Make a change through a client that cannot show a form: it gets the protocol's error -32021.
- Prove that a person has answered. The client is trusted with that, as with the key: use one that shows forms to you.
- Read files, such as PDFs and exports. Manage members, keys, sign-on or webhooks. Act for a signed-in session, or for a page of another site.
- Use an older version of the protocol.
`
}
