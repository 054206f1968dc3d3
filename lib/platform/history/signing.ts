import 'server-only'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { log } from '#lib/platform/runtime/log.ts'
import { madeOnce } from '#lib/platform/runtime/secrets.ts'
import { historySettings } from './settings.ts'
import type { ChainHead } from './verify.ts'

// Ed25519 instead of a keyed digest (HMAC): verifying heads needs the public key only, which can't create any.

/** Head of a customer's chain at a time. */
export type CustomerChainHead = { customer: string; seq: number; digest: string; time: string }
export type SignedChainHead = CustomerChainHead & { key: string; signature: string }

const SignedChainHead = z.object({
  customer: z.string(),
  seq: z.int().min(1),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  time: z.iso.datetime(),
  key: z.string(),
  signature: z.string(),
})

/** PKCS #8 prefix of a 32-byte Ed25519 private key (RFC 8410). */
const PRIVATE = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC = Buffer.from('302a300506032b6570032100', 'hex')

let signingKeys: { secret: string; privateKey: KeyObject; publicKey: string } | undefined

/**
 * Returns the key that signs heads: derived from AUDIT_SECRET, else from a secret that is generated once in DATA_DIR.
 * Used for heads only, and independent of the session secret.
 */
function signingKey() {
  const secret = historySettings().secret ?? madeOnce('audit')
  if (signingKeys?.secret !== secret) {
    const seed = Buffer.from(hkdfSync('sha256', secret, '', 'audit-heads', 32))
    const der = Buffer.concat([PRIVATE, seed])
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
    signingKeys = { secret, privateKey, publicKey: spki.subarray(PUBLIC.length).toString('base64url') }
  }
  return signingKeys
}

/** Returns the public key of this service's signed heads: 32 bytes of Ed25519 in base64url. */
export function publicKey(): string {
  return signingKey().publicKey
}

export function signChainHead(chainHead: CustomerChainHead): SignedChainHead {
  const { privateKey, publicKey } = signingKey()
  const signature = sign(null, textOf(chainHead), privateKey).toString('base64url')
  return { ...chainHead, key: nameOf(publicKey), signature }
}

/**
 * Parses a line of a file with signed heads.
 * @param keys trusted public keys by the names in the heads
 * @returns undefined if the line is malformed, or not signed by a trusted key
 */
function readSignedChainHead(
  line: string,
  keys: ReadonlyMap<string, KeyObject>,
): SignedChainHead | undefined {
  const chainHead = SignedChainHead.safeParse(jsonOf(line)).data
  const key = chainHead && keys.get(chainHead.key)
  const fits = key && verify(null, textOf(chainHead), key, Buffer.from(chainHead.signature, 'base64url'))
  return fits ? chainHead : undefined
}

/**
 * Returns the public keys by their names in heads.
 * @throws Error for an invalid key
 */
export function trusted(keys: readonly string[]): Map<string, KeyObject> {
  return new Map(
    keys.map((text) => {
      const key = Buffer.concat([PUBLIC, Buffer.from(text, 'base64url')])
      if (key.length !== PUBLIC.length + 32) throw new Error(`"${text}" is no public key.`)
      return [nameOf(text), createPublicKey({ key, format: 'der', type: 'spki' })]
    }),
  )
}

function nameOf(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16)
}

function textOf({ customer, seq, digest, time }: CustomerChainHead): Buffer {
  return Buffer.from(JSON.stringify(['audit-head', customer, seq, digest, time]))
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** One append-only file per month. */
const CHAIN_HEADS_FILE = /^heads-\d{4}-\d{2}\.jsonl$/

/** Appends signed heads to this month's file, one per line; flushed to disk when this returns. */
export async function appendChainHeads(
  folder: string,
  chainHeads: readonly SignedChainHead[],
): Promise<void> {
  if (await mkdir(folder, { recursive: true, mode: 0o700 }))
    log().warn(
      { folder },
      'signed heads of the history are written here: copy this folder to where the owner of the database cannot write',
    )
  const month = new Date().toISOString().slice(0, 7)
  const file = await open(join(folder, `heads-${month}.jsonl`), 'a', 0o640)
  try {
    await file.appendFile(chainHeads.map((chainHead) => `${JSON.stringify(chainHead)}\n`).join(''))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Heads with valid signatures by customer, and the number of lines without one. */
export type TrustedChainHeads = { chainHeads: Map<string, ChainHead[]>; refused: number }

/**
 * Reads signed heads from a file, or from each file of a folder. For one customer all heads, so that the place of a
 * violation can be located; for all customers only the last head of each, so that memory is bounded by their number.
 */
export async function readChainHeads(
  path: string,
  keys: ReturnType<typeof trusted>,
  customer?: string,
): Promise<TrustedChainHeads> {
  const chainHeads = new Map<string, ChainHead[]>()
  let rejectedLines = 0
  for (const file of await filesOf(path)) {
    for await (const line of createInterface({
      input: createReadStream(file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      if (line.trim() === '') continue
      const chainHead = readSignedChainHead(line, keys)
      if (!chainHead) rejectedLines += 1
      else if (customer === undefined || chainHead.customer === customer)
        addChainHead(chainHeads, chainHead, customer !== undefined)
    }
  }
  return { chainHeads, refused: rejectedLines }
}

function addChainHead(
  chainHeads: Map<string, ChainHead[]>,
  { customer, seq, digest }: SignedChainHead,
  isAll: boolean,
): void {
  const chainHead = { seq, digest: Buffer.from(digest, 'hex') }
  const before = chainHeads.get(customer)
  if (!before) chainHeads.set(customer, [chainHead])
  else if (isAll) before.push(chainHead)
  else if (seq >= (before[0]?.seq ?? 0)) before[0] = chainHead
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const names = await readdir(path)
  return names
    .filter((name) => CHAIN_HEADS_FILE.test(name))
    .sort()
    .map((name) => join(path, name))
}
