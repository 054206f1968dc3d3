import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Value = { stringValue?: string; intValue?: number; doubleValue?: number }
type Attribute = { key: string; value: Value }
type Batch = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<Span, 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}

export type Span = {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code: number }
  attributes: Record<string, string | number | undefined>
}

export type Collector = Awaited<ReturnType<typeof openCollector>>

/** Opens a server that accepts traces in JSON like OpenTelemetry's collector. */
export async function openCollector() {
  const spans: Span[] = []
  const resources: Span['attributes'][] = []
  const requests: { url: string | undefined; authorization: string | undefined }[] = []
  let text = ''
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    requests.push({ url: req.url, authorization: req.headers.authorization })
    text += body
    for (const { resource, scopeSpans } of (JSON.parse(body) as Batch).resourceSpans) {
      resources.push(plain(resource.attributes))
      for (const span of scopeSpans.flatMap((one) => one.spans))
        spans.push({ ...span, attributes: plain(span.attributes) })
    }
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    spans,
    resources,
    requests,
    /** Environment with which a process sends its traces here. */
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer of-the-collector',
      OTEL_SERVICE_NAME: 'billing-in-a-test',
    },
    /** All received data, unparsed. */
    text: () => text,
    close() {
      server.close().closeAllConnections()
    },
  }
}

function plain(attributes: Attribute[]): Span['attributes'] {
  const read = ({ stringValue, intValue, doubleValue }: Value) => stringValue ?? intValue ?? doubleValue
  return Object.fromEntries(attributes.map(({ key, value }) => [key, read(value)]))
}
