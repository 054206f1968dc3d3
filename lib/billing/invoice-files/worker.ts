import 'server-only'
import { parentPort } from 'node:worker_threads'
import type { TaskResult } from '#lib/platform/pdf/worker-thread.ts'
import { renderInvoicePdf } from './layout.ts'
import type { RenderJob } from './render.ts'

// What the drawing thread runs: an invoice's parts come in, its PDF goes out. It knows no database and no caller.
parentPort?.on('message', ({ document, lines }: RenderJob) => {
  renderInvoicePdf(document, lines).then(
    (pdfBytes) => {
      // Bytes of their own, which are handed over and not copied.
      const bytes = new Uint8Array(pdfBytes)
      respond({ bytes }, [bytes.buffer])
    },
    (error: unknown) =>
      respond({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})

function respond(response: TaskResult, handedOver: ArrayBuffer[] = []): void {
  parentPort?.postMessage(response, handedOver)
}
