import { type Database, database } from './client.ts'

/**
 * Returns a function that returns the open database's own cache, created by `make` at the first call: data of one
 * database is never used for another.
 */
export function perDatabase<Memory extends object>(make: () => Memory): () => Memory {
  const memories = new WeakMap<Database, Memory>()
  return () => {
    const opened = database()
    const memory = memories.get(opened) ?? make()
    memories.set(opened, memory)
    return memory
  }
}
