import { z } from 'zod'

/** Of values that are listed. */
export const others = 'others are passed through.'

/** Who did something, as it was at the time. */
export const actor = z.object({
  kind: z.string().meta({ description: `key, member, operator, vendor; ${others}` }),
  id: z.string().meta({ description: 'The id of that key or member, or the name of that vendor.' }),
  name: z.string().meta({ description: 'As it was at the time.' }),
})
