import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { brotliCompressSync } from 'node:zlib'

const STATIC = fileURLToPath(new URL('../../.next/static', import.meta.url))
/** Turbopack's runtime loads the other scripts, and contains no module. */
const RUNTIME = /\/turbopack-[\w-]+\.js$/

/** Bytes of a script: all of its transferred bytes, and those that are neither React nor Next. */
export type Weight = { all: number; screen: number }

const weights = new Map<string, Weight>()

/** @param path of a script, as a page refers to it: `/_next/static/…` */
export function weightOf(path: string): Weight {
  const cached = weights.get(path) ?? weigh(path)
  weights.set(path, cached)
  return cached
}

function weigh(path: string): Weight {
  const text = readFileSync(STATIC + path.replace(/^\/_next\/static/, ''), 'utf8')
  const source = RUNTIME.test(path) ? '' : firstPartyPart(text)
  return { all: packed(text), screen: source ? packed(source) : 0 }
}

function packed(text: string): number {
  return brotliCompressSync(text).length
}

/**
 * Returns the modules of a chunk that are neither React's nor Next's. React and Next are CommonJS, so the bundler gives
 * their functions three parameters, and all other modules one. If that changed, more modules would count as ours.
 */
function firstPartyPart(text: string): string {
  const modules: string[] = []
  const push = (chunk: unknown[]) => {
    for (const part of chunk) if (typeof part === 'function' && part.length < 3) modules.push(String(part))
  }
  runInNewContext(text, { TURBOPACK: { push }, document: undefined })
  return modules.join('\n')
}
