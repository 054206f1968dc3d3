import 'server-only'
import { parentPort } from 'node:worker_threads'
import type { Told } from '#lib/platform/pdf/thread.ts'
import type { Drawing } from './draw.ts'
import { drawInvoice } from './pdf.ts'

// What the drawing thread runs: an invoice's parts come in, its PDF goes out. It knows no database and no caller.
parentPort?.on('message', ({ document, lines }: Drawing) => {
  drawInvoice(document, lines).then(
    (drawn) => {
      // Bytes of their own, which are handed over and not copied.
      const bytes = new Uint8Array(drawn)
      tell({ bytes }, [bytes.buffer])
    },
    (error: unknown) =>
      tell({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})

function tell(told: Told, handedOver: ArrayBuffer[] = []): void {
  parentPort?.postMessage(told, handedOver)
}
