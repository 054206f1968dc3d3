import 'server-only'
import { limitSettings } from '#lib/platform/caller/limits/settings.ts'
import { PERMISSION_NAMES, type Permission, rolesWith } from '#lib/platform/caller/rules.ts'
import { FILTER_GRAMMAR } from '#lib/platform/lists/filter.ts'
import { LANGUAGES, type SampleRequest, sampleText } from './samples.ts'

/** Returns the first page: the purpose of the API, and the steps to a first answer. */
export function overviewPage(baseUrl: string): string {
  return `# Developers

The REST API lists your assets, licenses and invoices, changes the number of licenses, and manages members and keys. It answers in JSON at \`${baseUrl}\`, and everything that the console shows comes from it.

- Description: [OpenAPI 3.1](${baseUrl}/billing/v1/openapi.json). It needs no key, and any site may read it.
- Every page here is also Markdown: add \`.md\` to its address, or send \`Accept: text/markdown\`.

## Quick start

1. [Create an API key](/keys). Give it the role Finance User for invoices, or IT Manager for licenses.
2. Set the environment variable that all examples use:

\`\`\`sh
export API_KEY=lic_…
\`\`\`

3. Check the key. This works with every role:

${samples({ method: 'GET', url: `${baseUrl}/auth/v1/validate`, headers: {} })}

4. List past-due invoices, newest first:

${samples({ method: 'GET', url: `${baseUrl}/billing/v1/invoices?${new URLSearchParams({ filter: 'status:PAST DUE', maxResults: '10' })}`, headers: {} })}

Save the TypeScript as \`example.mts\` and run it with Node 24: \`node example.mts\`. The Python needs Python 3 and no packages. An answer with an error prints a problem document: [Errors](/developers/errors) lists each code, and what to do.

## Next steps

- [Authentication and roles](/developers/authentication): keys, roles and billing profiles.
- [Lists](/developers/lists): pages, filters and order.
- [Changes and retries](/developers/changes): dry runs, versions, and how to repeat a request safely.
- [Typed clients](/developers/clients): a client in two lines.
- [Receive webhooks](/developers/receive-webhooks): events of your licenses and invoices, as they happen.
`
}

/** Returns the page on keys, roles and permissions. */
export function authenticationPage(baseUrl: string): string {
  const permissions = (Object.keys(PERMISSION_NAMES) as Permission[]).map(
    (permission) => `| ${PERMISSION_NAMES[permission]} | ${rolesWith(permission)} |`,
  )
  return `# Authentication and roles

Send the key as a bearer token with each request. A key starts with \`lic_\`, has 40 characters, and is shown once.

${samples({ method: 'GET', url: `${baseUrl}/auth/v1/validate`, headers: {} })}

- If a request has an \`Authorization\` header, it alone decides: a bad key is refused with [\`unauthenticated\`](/developers/errors#unauthenticated), even in a signed-in browser.
- Store keys securely, and never in a page or a repository. Pages of other sites cannot call the API: it sends no CORS headers, except for its description.

## Roles and permissions

A key has some of the roles of the member who created it. A call that needs a permission names it; without it the answer is [\`permission_denied\`](/developers/errors#permission_denied).

| Permission | Comes with the role |
|---|---|
${permissions.join('\n')}

A key can be limited to billing profiles. It then sees only the invoices of these, and all others are as if they did not exist. It can also be limited to networks, and it expires.

## Rotation

[Rotate](/developers/keys#rotateKey) a key with an overlap: you get a new one at once, and the old one goes on for an hour, a day or a week. A key can rotate itself. A revoked or expired key is refused from the next request on.

## Records of other customers

A record of another customer is a 404, the same as one that does not exist.
`
}

/** Returns the page on paging, filters and order. */
export function listsPage(baseUrl: string): string {
  const url = `${baseUrl}/billing/v1/invoices`
  return `# Lists

A list answers with its rows, \`rowCount\` (the number of rows in this page), and \`pageToken\` if there are more. Rows are newest first unless \`orderBy\` says otherwise. An empty list has an empty array.

## Pages

- \`maxResults\`: 1 to 250 rows a page, 50 by default. More is read as 250.
- \`pageToken\`: pass the token of the last answer, with the same filters and the same order. The last page has none. \`previousPageToken\` leads back.
- The header \`Link\` has the addresses of both neighbors (RFC 8288), with \`rel="next"\` and \`rel="prev"\`.
- Paging is by key, so that page 10,000 costs what page 1 costs, and rows that arrive meanwhile are neither repeated nor lost.

These read all invoices, page by page:

\`\`\`sh
next='${url}?maxResults=250'
while [ -n "$next" ]; do
  curl --fail-with-body -s -D headers.txt -H "Authorization: Bearer $API_KEY" "$next" || exit 1
  next=$(sed -n 's/^[Ll]ink: .*<\\([^>]*\\)>; rel="next".*/\\1/p' headers.txt)
done
\`\`\`

\`\`\`ts
let pageToken: string | undefined
do {
  const query = new URLSearchParams({ maxResults: '250', ...(pageToken ? { pageToken } : {}) })
  const response = await fetch(\`${url}?\${query}\`, {
    headers: { Authorization: \`Bearer \${process.env.API_KEY}\` },
  })
  if (!response.ok) throw new Error(await response.text())
  const page: any = await response.json()
  for (const invoice of page.invoices) console.log(invoice.id, invoice.totalAmount, invoice.currency)
  pageToken = page.pageToken
} while (pageToken)
\`\`\`

\`\`\`python
import json, os, urllib.parse, urllib.request

token = None
while True:
    query = {"maxResults": 250, **({"pageToken": token} if token else {})}
    request = urllib.request.Request(
        "${url}?" + urllib.parse.urlencode(query),
        headers={"Authorization": "Bearer " + os.environ["API_KEY"]},
    )
    with urllib.request.urlopen(request) as response:
        page = json.load(response)
    for invoice in page["invoices"]:
        print(invoice["id"], invoice["totalAmount"], invoice["currency"])
    token = page.get("pageToken")
    if not token:
        break
\`\`\`

## Filters

\`filter\` selects rows. ${FILTER_GRAMMAR}

| Filter | Selects |
|---|---|
| \`type:workspace-suite\` | assets of one type |
| \`status:OPEN\\|PAST DUE\` | invoices that are open or past due |
| \`status:PAST DUE\\|currency:EUR\` | invoices that are past due and in EUR |
| \`platform:[cloud-platform\\|web-services]\` | invoices of two platforms |

An unknown type or platform selects nothing. An unknown key, or an unknown \`status\`, is [\`filter_invalid\`](/developers/errors#filter_invalid). Percent-encode the filter in an address. Unknown query parameters are ignored.

## Times and amounts

- Times are epoch milliseconds. Invoice dates are days: the midnight in UTC that begins them. \`minCreationTime\` and \`maxCreationTime\` are Unix seconds; a value of 100,000,000,000 or more is read as milliseconds. Both bounds are inclusive.
- An amount is a JSON number. Where a number cannot represent it exactly, its decimal text is beside it, under its name with \`Text\` at the end. Amounts of two currencies are never added.

## Caching

Every answer to a GET has an \`ETag\`. Send it as \`If-None-Match\`: 304 means that nothing has changed.
`
}

/** Returns the page on changes of licenses, and on retries. */
export function changesPage(baseUrl: string): string {
  const url = `${baseUrl}/billing/v1/assets/office-suite-7e91b4`
  return `# Changes and retries

[Setting a quantity](/developers/license-changes#setQuantity) is a call with consequences at a vendor. Four things make it safe.

## The total, not the difference

\`quantity\` is the total after the change. The same total again changes nothing, so that a repeated request never buys twice.

## Dry run

\`?dryRun=true\` makes the same checks and gives the same answer, but sends and stores nothing. The header \`Dry-Run: true\` says so.

${samples({ method: 'PATCH', url: `${url}?dryRun=true`, headers: { 'Content-Type': 'application/json' }, body: { quantity: 48 } })}

## Versions

Read the asset, and send its \`ETag\` as \`If-Match\`. If someone changed its seats, plan or status since, the answer is [\`version_mismatch\`](/developers/errors#version_mismatch) with the current total. Assigned users do not count as a change.

## Idempotency keys

Send an \`Idempotency-Key\` of your own with each new change: 1 to 255 visible ASCII characters. The same key with the same request gets the same answer for 24 hours, byte for byte, and has one effect. The same key with another request is [\`idempotency_key_reused\`](/developers/errors#idempotency_key_reused).

## Which answers to repeat

| Answer | Repeat? |
|---|---|
| no answer, 429, 503, 409 \`change_in_progress\` | yes, the same request with the same key, after \`Retry-After\` |
| 504 \`outcome_unknown\` | yes: it joins the open change and gets its outcome. Never send another total before |
| 500 | yes, later, with the same key |
| any other 4xx | no: the same request gets the same answer |

This program sets a total, and repeats the request until it has an outcome:

\`\`\`ts
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const idempotencyKey = randomUUID()
for (let attempt = 1; ; attempt++) {
  const response = await fetch('${url}', {
    method: 'PATCH',
    headers: {
      Authorization: \`Bearer \${process.env.API_KEY}\`,
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify({ quantity: 47 }),
  })
  const answer: any = await response.json()
  const isOpen = [429, 503, 504].includes(response.status) || answer.code === 'change_in_progress'
  if (!isOpen || attempt === 10) {
    if (!response.ok) throw new Error(\`\${answer.code}: \${answer.detail}\`)
    console.log(answer.properties.subscription.Seats.NumberOfSeats)
    break
  }
  await sleep(Number(response.headers.get('Retry-After') ?? 5) * 1000)
}
\`\`\`

## Fewer licenses on a commitment

A commitment plan cannot be lowered within its term: the answer is [\`decrease_not_allowed\`](/developers/errors#decrease_not_allowed). Its \`renewal\` has the address at which the next term is [ordered](/developers/renewals#orderRenewal), and the last day for it.
`
}

/** Returns the page on rate limits and sizes, with this installation's numbers. */
export function limitsPage(): string {
  const { requests, changes, exports, together } = limitSettings()
  const row = (what: string, name: string, count: number) =>
    `| ${what} | \`${name}\` | ${count.toLocaleString('en')} | ${(count * together).toLocaleString('en')} |`
  return `# Limits

Limits are counted per minute (UTC), exactly, over all processes. Your reseller may have set others for you: the answers say which.

| What | Policy | Each key or session | All of a customer together |
|---|---|---:|---:|
${row('Requests', 'requests', requests)}
${row('License changes among them', 'changes', changes)}
${row('Exports among them', 'exports', exports)}

A request that is refused for a limit counts for none, and nothing was done. A dry run is a request, and no change.

## Headers

\`\`\`http
RateLimit-Policy: "requests";q=${requests};w=60, "customer-requests";q=${requests * together};w=60
RateLimit: "requests";r=997;t=32, "customer-requests";r=${requests * together - 190};t=32
\`\`\`

\`q\` requests are allowed in \`w\` seconds; \`r\` are left, and the next minute begins in \`t\` seconds. Above the limit the answer is [\`rate_limited\`](/developers/errors#rate_limited): wait for \`Retry-After\` seconds, and send the same request again.

## Sizes

| What | At most |
|---|---|
| Body of a request | 16 KiB |
| Filter | 1,000 characters and 50 values |
| Page of a list | 250 rows |
| PDFs in one ZIP | 500 |
| Time for an answer | 20 seconds |
`
}

/** Returns the page on versions. */
export function versioningPage(): string {
  return `# Versions

The version is in the path: \`/billing/v1\`. A removal or a change of meaning needs \`/billing/v2\`.

Additions are not breaking: fields, parameters, error codes, and values of open sets, such as types and states. A client must ignore what it does not know.

- Decide by \`code\`, never by the text of an error.
- Treat ids and page tokens as opaque text.
- Pass unknown values through, and do not fail at them.

The [changelog](/developers/changelog) lists each change that a client cannotice. The \`ETag\` of the [OpenAPI document](/billing/v1/openapi.json) changes when the API does.
`
}

/** Returns the page on generating typed clients. */
export function clientsPage(baseUrl: string): string {
  return `# Typed clients

The [OpenAPI document](${baseUrl}/billing/v1/openapi.json) describes each call, field and error, so that generators make a typed client of it. For TypeScript, two lines:

\`\`\`console
npm install openapi-fetch && npm install --save-dev openapi-typescript typescript@5
npx openapi-typescript ${baseUrl}/billing/v1/openapi.json -o billing.d.ts
\`\`\`

Then each path, parameter and member is checked as you type, and \`error\` is narrowed by its code:

\`\`\`typescript
import createClient from 'openapi-fetch'
import type { paths } from './billing.d.ts'

const client = createClient<paths>({
  baseUrl: '${baseUrl}',
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\` },
})
const { data, error } = await client.GET('/billing/v1/invoices', {
  params: { query: { filter: 'status:PAST DUE', maxResults: 10 } },
})
if (error) throw new Error(\`\${error.code}: \${error.detail}\`)
for (const invoice of data.invoices) console.log(invoice.id, invoice.totalAmount, invoice.currency)
\`\`\`

Linters find nothing to report in the document (\`redocly lint\`, \`spectral lint\`). Problems are told apart by \`code\`, which is the discriminator of their schemas.
`
}

function samples(request: SampleRequest): string {
  const fences = { curl: 'sh', TypeScript: 'ts', Python: 'python' } as const
  return LANGUAGES.map(
    (language) => `\`\`\`${fences[language]}\n${sampleText(language, request)}\n\`\`\``,
  ).join('\n\n')
}
