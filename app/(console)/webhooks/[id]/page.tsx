import type { Metadata } from 'next'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { Deliveries } from '#components/notifications/webhooks/deliveries.tsx'
import { webhookHref } from '#components/notifications/webhooks/labels.ts'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { PageHeader } from '#components/ui/page-header.tsx'
import { listWebhookDeliveries } from '#lib/notifications/webhooks/client.ts'
import * as contract from '#lib/notifications/webhooks/contract.ts'
import * as operations from '#lib/notifications/webhooks/operations.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { Missing } from '../../../missing.tsx'
import { idOf, readQuery, type SearchParams, searchOf } from '../../address.ts'
import { requireCaller } from '../../caller.ts'
import { Hydrated } from '../../hydrated.tsx'
import { InvalidView } from '../../invalid-view.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'

export const metadata: Metadata = { title: 'Webhook' }

type PageProps = { params: Promise<{ id: string }>; searchParams: SearchParams }

export default async function Page({ params, searchParams }: PageProps) {
  const [id, search] = [idOf((await params).id), await searchOf(searchParams)]
  const caller = await requireCaller(pathWith(webhookHref(id), search))
  if (!may(caller, 'members-manager'))
    return <MissingRole title="Webhook" caller={caller} permission="members-manager" />
  const invalid = { title: 'Webhook', label: 'deliveries', path: webhookHref(id) }
  const view = await readQuery(contract.listWebhookDeliveries, search)
  if (view instanceof Problem) return <InvalidView {...invalid} problem={view} />
  const input = { params: { webhook_id: id }, query: view, body: undefined }
  const meta = await requestMeta()
  const answers = await Promise.all([
    operations.readWebhook(caller, { ...input, query: {} }, meta),
    operations.listWebhookDeliveries(caller, input, meta),
  ]).catch(problemOf)
  if (answers instanceof Problem) {
    if (answers.code === 'not_found') return <Missing />
    return <InvalidView {...invalid} problem={answers} />
  }
  const [{ body: webhook }, { body: deliveries }] = answers
  const query = { params: { webhook_id: id }, query: view }
  return (
    <>
      <PageHeader
        title={webhook.name}
        subtitle={escapeInvisible(webhook.url)}
        breadcrumb={{ href: '/webhooks', name: 'Webhooks' }}
        actions={<CopyRequest path={listWebhookDeliveries.path(query)} />}
      />
      <Hydrated answers={[[listWebhookDeliveries.key(query), deliveries]]}>
        <Deliveries webhookId={id} view={view} />
      </Hydrated>
    </>
  )
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem && ['not_found', 'page_token_invalid'].includes(error.code)) return error
  throw error
}
