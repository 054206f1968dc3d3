import { resolve } from 'node:path'
import { z } from 'zod'
import { importAssetFile, importAssetsOfMany } from '#lib/imports/asset-file.ts'
import { platformTable } from '#lib/imports/focus/platforms.ts'
import { expectationsOf } from '#lib/imports/report/expectations.ts'
import type { ImportReport } from '#lib/imports/report/report.ts'
import * as imports from '#lib/imports/run.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { customerNamed } from '../command.ts'
import { Incomplete, interruption, note, type Progress, print, progress, UsageError } from '../terminal.ts'
import { reportLines } from './report-lines.ts'

type Common = { dryRun?: boolean; replace?: boolean; json?: boolean }
type OfInvoices = Common & {
  customer?: string
  correct?: boolean
  expect?: string[]
  history?: boolean
  sameIssuer?: boolean
  anotherIssuer?: boolean
  unattended?: boolean
}
type Focus = OfInvoices &
  Omit<imports.FocusTerms, 'platforms' | 'paid' | 'tags'> & {
    platform?: string[]
    paid?: boolean
    tag?: string[]
  }
type Assets = Common & { customer?: string; byDomain?: boolean; reseller?: string }

export async function importFocus(paths: string[], options: Focus) {
  const { platform, dueDays, paid = false, map, issuer, prices, atCost, tag: tags } = options
  const terms = { platforms: platformTable(platform), dueDays, paid, map, issuer, prices, atCost, tags }
  await watched('lines read', async (display) => {
    const run = await runOf(paths, options, display)
    return printReport(await imports.importFocus(run, terms), options)
  })
}

export async function importInvoices(paths: string[], options: OfInvoices) {
  await watched('invoices read', async (display) => {
    const run = await runOf(paths, options, display)
    return printReport(await imports.importInvoiceFiles(run), options)
  })
}

export async function importAssets(file: string, { reseller, ...options }: Assets) {
  if (reseller !== undefined && !z.email().max(254).safeParse(reseller).success)
    throw new UsageError(`"${reseller}" is not an email address.`)
  const customerId =
    options.customer === undefined ? undefined : (await customerNamed(options.customer)).customerId
  await watched('assets read', async ({ update: onProgress }) => {
    const path = file === '-' ? file : resolve(env().callerDir, file)
    const { replace = false, dryRun = false } = options
    const { signal } = interruption
    const run = { file: path, name: file, replace, isDryRun: dryRun, onProgress, signal }
    const done = customerId
      ? await importAssetFile({ customerId, ...run }, reseller)
      : await importAssetsOfMany(run, reseller)
    return () => {
      printReport(done, options)()
      if (done.unread > 0)
        note(`${done.unread} could not be read from their vendor yet; the next readings do it.`)
    }
  })
}

async function runOf(
  paths: string[],
  { customer, replace, correct, dryRun, expect, history, ...said }: OfInvoices,
  { update: onProgress }: Progress,
): Promise<imports.Run> {
  if (replace)
    throw new UsageError(
      'An invoice is not written over. --correct voids the one that is there, and puts what the files have in its place.',
    )
  return {
    paths,
    folder: env().callerDir,
    customerId: customer === undefined ? undefined : (await customerNamed(customer)).customerId,
    correct,
    answer: answerOf(said),
    isDryRun: dryRun,
    isHistory: history,
    expected: expect ? expectationsOf(expect) : undefined,
    onProgress,
    signal: interruption.signal,
  }
}

/** @throws UsageError if more than one answer is given */
function answerOf({ sameIssuer, anotherIssuer, unattended }: OfInvoices) {
  const answers = [
    ...(sameIssuer ? (['same'] as const) : []),
    ...(anotherIssuer ? (['another'] as const) : []),
    ...(unattended ? (['unattended'] as const) : []),
  ]
  if (answers.length < 2) return answers[0]
  throw new UsageError('Give one of --same-issuer, --another-issuer and --unattended.')
}

/** Shows the progress of the work, and prints the report after the progress line is cleared. */
async function watched(what: string, work: (display: Progress) => Promise<() => void>): Promise<void> {
  const display = progress(what)
  try {
    const report = await work(display)
    display.end()
    report()
  } finally {
    display.end()
  }
}

function printReport(
  { importId, report }: { importId?: string; report: ImportReport },
  { json }: { json?: boolean },
): () => void {
  return () => {
    if (json) {
      const run = { import: importId ?? null, dryRun: importId === undefined }
      print(JSON.stringify({ ...run, ...report }, null, 2))
    } else {
      for (const line of reportLines(report)) print(line)
      print('')
      print(importId === undefined ? 'Dry run: nothing was stored.' : `Stored as import ${importId}.`)
    }
    const unclear = 'oddities' in report && report.oddities.find(({ what }) => what === 'alike')
    if (unclear) throw new Incomplete(`${unclear.count} left out: see "Worth a look".`)
  }
}
