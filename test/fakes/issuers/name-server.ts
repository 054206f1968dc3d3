import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

export type NameServer = {
  /** Address in the format of SIGN_ON_DNS. */
  address: string
  /** TXT records by name in lower case. A name without a record does not exist. */
  records: Map<string, string[]>
  close(): Promise<void>
}

/**
 * Starts a name server (RFC 1035) on this machine that only answers TXT queries.
 * @param at port, 0 for any free one
 */
export async function startNameServer(at = 0): Promise<NameServer> {
  const records = new Map<string, string[]>()
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const texts = records.get(nameIn(query).toLowerCase())
    socket.send(answerTo(query, texts), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(at, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    records,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

const HEADER = 12

function nameIn(query: Buffer): string {
  const labels: string[] = []
  for (let at = HEADER; query[at]; at += 1 + (query[at] ?? 0))
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
  return labels.join('.')
}

function answerTo(query: Buffer, texts: readonly string[] | undefined): Buffer {
  const question = query.subarray(HEADER, query.indexOf(0, HEADER) + 5)
  const header = Buffer.alloc(HEADER)
  query.copy(header, 0, 0, 2)
  // An authoritative answer; code 3 (NXDOMAIN): the name does not exist.
  header.writeUInt16BE(0x8580 | (texts ? 0 : 3), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(texts?.length ?? 0, 6)
  return Buffer.concat([header, question, ...(texts ?? []).map(recordOf)])
}

/** Returns a TXT record for the name in the question, valid for a second; a text is split into parts of 255 bytes. */
function recordOf(text: string): Buffer {
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255)
    parts.push(Buffer.from([part.length]), part)
  }
  const data = Buffer.concat(parts)
  const fixed = Buffer.from([0xc0, HEADER, 0, 16, 0, 1, 0, 0, 0, 1, data.length >> 8, data.length & 255])
  return Buffer.concat([fixed, data])
}
