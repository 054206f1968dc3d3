import { z } from 'zod'

export const Factor = z.object({
  id: z.string().meta({ description: 'Names the factor.' }),
  kind: z.enum(['totp', 'passkey']).meta({ description: '`totp`: an app that shows codes.' }),
  name: z.string().meta({ description: 'As its owner named it.' }),
  isEverywhere: z.boolean().meta({
    description: 'Whether it counts wherever its owner is a member, or at this customer alone.',
  }),
  createTime: z.int().meta({ description: 'Epoch time in milliseconds of when it was set up.' }),
  lastUseTime: z.int().optional().meta({ description: 'Epoch time in milliseconds of its last use.' }),
})

export const Factors = z.object({
  factors: z.array(Factor).meta({ description: 'The oldest first.' }),
  codesLeft: z.int().meta({ description: 'How many recovery codes were not used yet.' }),
  isDemanded: z.boolean().meta({ description: 'Whether the customer demands one of each member.' }),
  passkeys: z.enum(['possible', 'address', 'not-safe']).meta({
    description: 'Why there can be no passkeys: the console has an address for a host, or no https.',
  }),
})

export const Demand = z
  .object({ isDemanded: z.boolean().meta({ description: 'Whether each member needs one to sign in.' }) })
  .meta({ id: 'SecondFactorDemand', description: 'Whether a second factor is demanded of all members.' })
