import { visible } from '#components/ui/visible.ts'
import type { Member } from '#lib/identity/members/contract.ts'

/** What can be done to a member at once, and the words for it. */
export type Doing = {
  is: 'disable' | 'enable' | 'withdraw' | 'reset'
  done: string
  button: string
  happens: string
}

export const ENABLING: Doing = { is: 'enable', done: 'Enabled', button: 'Enable', happens: '' }

export function disabling({ name }: Member, isSelf: boolean): Doing {
  const who = isSelf ? 'You are' : `${visible(name)} is`
  return {
    is: 'disable',
    done: 'Disabled',
    button: isSelf ? 'Disable yourself' : `Disable ${visible(name)}`,
    happens: `${who} signed out everywhere, at once, and can not sign in again. The API keys that ${isSelf ? 'you' : 'they'} made stop working, but for those that belong to the customer. Nothing is deleted, and an Admin can enable ${isSelf ? 'you' : 'them'} again.`,
  }
}

export function resetting({ name }: Member): Doing {
  return {
    is: 'reset',
    done: 'Second factor reset',
    button: 'Reset the second factor',
    happens: `For who has lost their app, passkeys and recovery codes: these count here no more. ${visible(name)} is signed out everywhere, told by mail, and signs in with the password alone; where a second factor is demanded, they set up another one then.`,
  }
}

export function withdrawing({ name, email }: Member): Doing {
  return {
    is: 'withdraw',
    done: 'Withdrawn',
    button: 'Withdraw the invitation',
    happens: `The link that ${visible(name)} (${email}) has stops working, and they are gone from this list. You can invite them again.`,
  }
}
