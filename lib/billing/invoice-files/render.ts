import 'server-only'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Problem } from '#lib/platform/api/problem.ts'
import { threadOf } from '#lib/platform/pdf/worker-thread.ts'
import { byteBudget, fairSemaphore } from '#lib/platform/runtime/concurrency.ts'
import type { InvoiceDocument, PdfLine } from './document.ts'

/** Message to the rendering worker: the data of one invoice. */
export type RenderJob = { document: InvoiceDocument; lines: PdfLine[] }

/** `drawInvoice`, wherever it is done, for a customer. */
export type RenderPdf = (
  document: InvoiceDocument,
  lines: PdfLine[],
  customerId: string,
) => Promise<Uint8Array>

/** Most waiting documents, whose lines are in memory: an archive has one here at a time. */
const MAX_WAITING = { each: 20, all: 60 }

/** Bytes of the data of documents that wait or are drawn, by their lines. */
const DATA = { all: 32 * 1024 * 1024, each: 16 * 1024 * 1024, anonymous: 0 }
const BYTES = { document: 4096, line: 2048 }

const slot = globalThis as typeof globalThis & { licensesInvoicesRenderPdf?: RenderPdf }

/**
 * Renders in the process's rendering worker, queued: a long invoice takes seconds.
 * @throws Problem `service_unavailable` where the queue or its memory is full; Error at the timeout or a crash of the worker
 */
export const renderInWorker: RenderPdf = (document, lines, customerId) => {
  // Only in a production build of Next, two route files may have copies of this module.
  slot.licensesInvoicesRenderPdf ??= createRenderer()
  return slot.licensesInvoicesRenderPdf(document, lines, customerId)
}

function createRenderer(): RenderPdf {
  // Put together: a bundler would take `new URL(…, import.meta.url)` for a file of its own.
  const script = join(fileURLToPath(import.meta.url), '..', 'worker.ts')
  const thread = threadOf<RenderJob>(pathToFileURL(script))
  const { acquire } = fairSemaphore({ most: 1, share: 1, mostWaiting: MAX_WAITING, timeoutError: tooMany })
  const data = byteBudget(DATA)
  return async (document, lines, customerId) => {
    const bytes = Math.min(DATA.each, BYTES.document + BYTES.line * lines.length)
    data.reserve(bytes, customerId)
    try {
      const end = await acquire(customerId)
      return await thread.run({ document, lines }).finally(end)
    } finally {
      data.release(bytes, customerId)
    }
  }
}

function tooMany(): Problem {
  const detail = 'Too many documents are waiting to be drawn. Please try again.'
  return new Problem('service_unavailable', detail, { headers: { 'Retry-After': '5' } })
}
