import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scopeOfMany } from '#lib/platform/db/scope.ts'
import { ImportError } from '../import-error.ts'
import { checkExpectations } from '../report/expectations.ts'
import { mergedReports } from '../report/gather.ts'
import type { InvoiceReport } from '../report/report.ts'
import { storePart, wholeOf } from './part-store.ts'
import { partsOf } from './parts.ts'
import { newImportId } from './store.ts'
import type { Input, SessionTerms } from './terms.ts'

/** Result of an import. */
export type Done = {
  /** Absent: it was a dry run. */
  importId?: string
  report: InvoiceReport
}

/** Carries the report of a dry run out of its transaction, which the exception rolls back. */
class DryRun extends Error {
  readonly done: Done

  constructor(done: Done) {
    super('A dry run ends here.')
    this.done = done
  }
}

/**
 * Stores a read import in one transaction, for one customer or for many: all of it or nothing. Each affected customer
 * has its own row of the import, with its part of the report.
 * @throws ImportError that lists the obstacles
 */
export async function runSession(input: Input, terms: SessionTerms): Promise<Done> {
  const importId = newImportId()
  try {
    return await scopeOfMany(async (enter) => {
      const reports: InvoiceReport[] = []
      for await (const { customerId, entries } of partsOf(input.entries, terms.customerId)) {
        const part = { importId, customerId, entries }
        const store = enter(customerId, (tx) => storePart(tx, part, input, terms))
        reports.push(await (terms.customerId === customerId ? store : store.catch(inPartOf(customerId))))
      }
      const report = wholeOf(mergedReports(reports), input)
      if (terms.expected) checkExpectations(report, terms.expected)
      terms.signal?.throwIfAborted()
      if (terms.isDryRun) throw new DryRun({ report })
      return { importId, report }
    })
  } catch (error) {
    if (error instanceof DryRun) return error.done
    throw error
  }
}

/** Returns a wrapper that adds the customer to the errors of its part. */
function inPartOf(customer: CustomerId) {
  return (error: unknown): never => {
    if (!(error instanceof ImportError)) throw error
    throw new ImportError(error.problems.map((problem) => ({ customer, ...problem })))
  }
}
