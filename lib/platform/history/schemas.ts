import { z } from 'zod'

/** Description of fields with listed values. */
export const others = 'others are passed through.'

/** Actor of an event, as named at the time. */
export const actor = z.object({
  kind: z.string().meta({ description: `key, member, operator, vendor; ${others}` }),
  id: z.string().meta({ description: 'The id of that key or member, or the name of that vendor.' }),
  name: z.string().meta({ description: 'As it was at the time.' }),
})
