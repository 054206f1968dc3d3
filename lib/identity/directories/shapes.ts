import { z } from 'zod'
import { ROLES } from '#lib/platform/caller/rules.ts'

const isPlain = (text: string) => !/\p{Cc}/u.test(text)
const name = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(most, `must have at most ${most} characters`)
    .refine(isPlain, 'has a control character')

const roles = z
  .array(z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }))
  .min(1, 'must name at least one role')
  .max(20, 'names too many')

export const Token = z
  .object({
    id: z.string().meta({ description: 'Names the token.' }),
    name: z.string().meta({ description: 'As the history calls it.' }),
    hint: z.string().meta({ description: 'How it begins and ends.' }),
    roles: z.array(z.enum(ROLES)).meta({ description: 'What the directory may give to members, at most.' }),
    status: z.enum(['ACTIVE', 'EXPIRED', 'REVOKED']).meta({ description: 'Whether it opens anything.' }),
    createTime: z.int().meta({ description: 'Epoch time in milliseconds of when it was issued.' }),
    expireTime: z.int().optional().meta({
      description: 'Epoch time in milliseconds of when it ends by itself. Absent: never.',
    }),
    lastUseTime: z.int().optional().meta({
      description: 'Epoch time in milliseconds of its last use, to the minute. Absent where there was none.',
    }),
  })
  .meta({ id: 'DirectoryToken', description: 'What a directory proves itself by; the secret is shown once.' })

export const NewToken = z
  .strictObject({
    name: name(100).meta({ description: 'What it is for, such as the name of the directory.' }),
    roles: roles.default(['it-manager', 'finance-user']).meta({
      description:
        'What the directory may give to members, at most. A directory that makes Admins needs `admin`.',
    }),
    validDays: z
      .int()
      .min(1, 'must be at least 1')
      .max(3650, 'must be at most 3650')
      .nullable()
      .default(365)
      .meta({ description: 'After so many days it ends by itself. `null`: never.' }),
  })
  .meta({ id: 'NewDirectoryToken', description: 'A token that is to be issued.' })

export const Group = z
  .object({
    id: z.string().meta({ description: 'Names the group.' }),
    name: z.string().meta({ description: 'As the directory calls it.' }),
    members: z.int().meta({ description: 'How many members are in it.' }),
    isMapped: z.boolean().meta({ description: 'Whether it gives anything: without a mapping it does not.' }),
    roles: z.array(z.enum(ROLES)).meta({ description: 'The roles that it gives.' }),
    billingProfiles: z.array(z.string()).nullable().meta({
      description: 'Ids of the billing profiles that it gives. `null`: all, where it is mapped.',
    }),
  })
  .meta({ id: 'DirectoryGroup', description: 'A group of a directory, and what it gives to its members.' })

export const GroupMapping = z
  .strictObject({
    name: name(300).meta({
      description: 'As the directory calls the group. One that is not there yet is added.',
    }),
    roles: roles.meta({ description: 'The roles that it gives.' }),
    billingProfiles: z
      .array(z.string().min(1).max(300))
      .max(250, 'must name at most 250')
      .nullable()
      .optional()
      .meta({ description: 'Ids of the billing profiles that it gives. `null`, or absent: all.' }),
  })
  .meta({ id: 'DirectoryGroupMapping', description: 'What a group gives to its members.' })
