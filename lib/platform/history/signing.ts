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
import { madeOnce } from '#lib/platform/runtime/secrets.ts'
import { historySettings } from './settings.ts'
import type { ChainHead } from './verify.ts'

// Ed25519 and not a keyed digest: whoever checks heads needs the public key alone, and can make none with it.

/** Where a customer's chain ended at a time. */
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

/** What stands before 32 bytes of an Ed25519 key in its usual form (RFC 8410). */
const PRIVATE = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC = Buffer.from('302a300506032b6570032100', 'hex')

let signingKeys: { secret: string; privateKey: KeyObject; publicKey: string } | undefined

/**
 * The key that signs heads: made of AUDIT_SECRET, else of a secret that is made once into DATA_DIR. It signs nothing
 * else, and a new session secret leaves it as it is.
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

/** The key that heads of this service are checked with: 32 bytes of Ed25519 in base64url. */
export function publicKey(): string {
  return signingKey().publicKey
}

export function signChainHead(chainHead: CustomerChainHead): SignedChainHead {
  const { privateKey, publicKey } = signingKey()
  const signature = sign(null, textOf(chainHead), privateKey).toString('base64url')
  return { ...chainHead, key: nameOf(publicKey), signature }
}

/**
 * A signed head as a line of a file has it.
 * @param keys those that are trusted, by the names that heads give them
 * @returns undefined where the line is none, or nobody who is trusted has signed it
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
 * Public keys by the names that heads give them.
 * @throws Error where one of them is none
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

/** A file a month, which is only ever added to. */
const CHAIN_HEADS_FILE = /^heads-\d{4}-\d{2}\.jsonl$/

/** Adds signed heads to this month's file, a line each; they are on the disk when this returns. */
export async function appendChainHeads(
  folder: string,
  chainHeads: readonly SignedChainHead[],
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const month = new Date().toISOString().slice(0, 7)
  const file = await open(join(folder, `heads-${month}.jsonl`), 'a', 0o640)
  try {
    await file.appendFile(chainHeads.map((chainHead) => `${JSON.stringify(chainHead)}\n`).join(''))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** What files of heads hold: those whose signature fits, by customer, and how many lines have none that does. */
export type TrustedChainHeads = { chainHeads: Map<string, ChainHead[]>; refused: number }

/**
 * Reads signed heads, of a file or of each file of a folder. Of one customer all of them, so that the place of a change
 * shows; of all customers the last one each, so that memory is bounded by their number.
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
