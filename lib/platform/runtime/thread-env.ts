import 'server-only'
import { dirname } from 'node:path'

/**
 * Returns the environment of a worker thread: no secrets, and the compile cache of the process, in which the thread finds
 * the modules that the build compiled. It finds none after a change of V8's flags (lib/server/heap-growth.ts), which are part
 * of the name of the cache's folder.
 */
export function threadEnv(): Record<string, string> {
  const { getCompileCacheDir } = process.getBuiltinModule('node:module')
  const cache = getCompileCacheDir()
  // Node adds a folder of its version to NODE_COMPILE_CACHE: with that folder in it, the cache would be another one.
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }
}
