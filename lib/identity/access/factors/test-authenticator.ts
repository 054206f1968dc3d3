import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Assertion, Attestation } from '../../second-factors/contract.ts'

// Minimal software authenticator for tests: it makes passkeys and signs with them, with deliberate errors on demand.

type Options = { challenge?: unknown; rp?: { id?: string }; rpId?: string }
/** Deviations from the truth in an answer. */
type Lies = { origin?: string; rpId?: string; counter?: number; isVerified?: boolean; id?: string }

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40]

export function authenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credential = randomBytes(32)
  let counter = 0

  const clientData = (type: string, { challenge }: Options, lies: Lies) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: lies.origin ?? origin, crossOrigin: false }))
  const prefix = (rpId: string, flags: number, count: number) => {
    const rest = Buffer.alloc(5)
    rest.writeUInt8(flags, 0)
    rest.writeUInt32BE(count, 1)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), rest])
  }
  const cose = () => {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const [a, b] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
    return Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), a, Buffer.from('225820', 'hex'), b])
  }
  const text = (bytes: Buffer) => bytes.toString('base64url')
  const named = (id = text(credential)) => ({
    id,
    rawId: id,
    type: 'public-key' as const,
    clientExtensionResults: {},
  })

  return {
    make(options: Options, lies: Lies = {}): Attestation {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credential.length)
      const flags = PRESENT | ATTESTED | (lies.isVerified === false ? 0 : VERIFIED)
      const rpId = lies.rpId ?? options.rp?.id ?? ''
      const data = Buffer.concat([prefix(rpId, flags, counter), Buffer.alloc(16), length, credential, cose()])
      const size = Buffer.alloc(2)
      size.writeUInt16BE(data.length)
      const map = [
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
        size,
        data,
      ]
      const response = {
        clientDataJSON: text(clientData('webauthn.create', options, lies)),
        attestationObject: text(Buffer.concat(map)),
        transports: ['internal'],
      }
      return { ...named(lies.id), response }
    },
    answer(options: Options, lies: Lies = {}): Assertion {
      counter = lies.counter ?? counter + 1
      const flags = PRESENT | (lies.isVerified === false ? 0 : VERIFIED)
      const data = prefix(lies.rpId ?? options.rpId ?? '', flags, counter)
      const client = clientData('webauthn.get', options, lies)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      const response = {
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(sign('sha256', signed, privateKey)),
      }
      return { ...named(lies.id), response }
    },
  }
}
