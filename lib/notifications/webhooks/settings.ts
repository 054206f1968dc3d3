import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import type { PrivateHosts } from '#lib/platform/runtime/outbound.ts'
import { text } from '#lib/platform/runtime/settings.ts'

/** Hosts of webhooks, with their port unless it is 443, that may have private addresses; on loopback also by http. */
export const webhookSettings = defineSettings(
  z
    .object({
      WEBHOOK_PRIVATE_HOSTS: text.optional(),
    })
    .transform((values): PrivateHosts => {
      const hosts = (values.WEBHOOK_PRIVATE_HOSTS ?? '')
        .split(',')
        .flatMap((one) => one.trim().toLowerCase() || [])
      return { hosts, setting: 'WEBHOOK_PRIVATE_HOSTS' }
    }),
)
