import 'server-only'
import { parentPort } from 'node:worker_threads'
import type { TaskResult } from '#lib/platform/pdf/worker-thread.ts'
import { renderInvoicePdf } from './layout.ts'
import type { RenderJob } from './render.ts'

// Rendering worker: receives an invoice's data and returns its PDF, without access to a database or caller.
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
