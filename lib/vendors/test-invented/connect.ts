import 'server-only'
import type { VendorCalls } from '../declaration.ts'
import { client } from './client.ts'
import { list } from './list.ts'
import { lookup } from './lookup.ts'
import { read } from './read.ts'
import type { Config } from './settings.ts'
import { setQuantity } from './write.ts'

export function connect(config: Config): VendorCalls {
  const paperclip = client(config)
  return {
    read: (ref, signal) => read(paperclip, ref, signal),
    setQuantity: (observed, total, changeId, signal) =>
      setQuantity(paperclip, observed, total, changeId, signal),
    lookup: (ref, write, signal) => lookup(paperclip, ref, write, signal),
    list: (cursor, signal) => list(paperclip, cursor, signal),
  }
}
