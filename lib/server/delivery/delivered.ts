import type { Handler } from '../front-door.ts'
import { compressed } from './compressed.ts'
import { heldScripts } from './held-scripts.ts'
import { staticFiles } from './static-files.ts'

/** The way out of whatever is no answer of the API: the build's files, and pages whose scripts wait, compressed. */
export function delivered(pages: Handler): Handler {
  return staticFiles(compressed(heldScripts(pages)))
}
