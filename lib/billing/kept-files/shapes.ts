import { z } from 'zod'
import { FILE_KINDS } from './rules.ts'

/** A document of an invoice. */
export const InvoiceFile = z
  .object({
    kind: z.enum(FILE_KINDS).meta({
      description: 'The issuer’s own PDF or XML, or what we drew. Others may come.',
    }),
    name: z.string().meta({ description: 'The name under which it is saved.' }),
    mediaType: z.enum(['application/pdf', 'application/xml']).meta({ description: 'What its bytes are.' }),
    bytes: z.int().min(0).optional().meta({ description: 'How many. Absent while it was never drawn.' }),
    digest: z.string().optional().meta({
      description: 'SHA-256 of its bytes, in hexadecimal digits. Absent while it was never drawn.',
    }),
    url: z.url().meta({ description: 'Where it is.' }),
  })
  .meta({ id: 'InvoiceFile', description: 'A document of an invoice.' })
