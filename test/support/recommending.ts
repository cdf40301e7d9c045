import { updateChangedProfiles } from '../../src/domains/recommendations/update-profiles.ts'
import { apiAccountAt, personAt, type PersonHandle } from './participants.ts'
import type { Selling } from './selling.ts'

const quiet = { error: (message: string, details?: object) => expectNothing(message, details), info: () => {}, warn: () => {} }

function expectNothing(message: string, details?: object): never {
  throw new Error(`${message} ${JSON.stringify(details)}`)
}

/** Updates the search profiles of changed records, as the worker does every few seconds. */
export const keepUp = ({ world }: Pick<Selling, 'world'>): Promise<void> =>
  updateChangedProfiles({ transact: (run) => world.database.transact(run), log: quiet as never })

const accounts = new WeakMap<object, Promise<Awaited<ReturnType<typeof apiAccountAt>>>>()

/** The participant with this email, signed in after registering. */
export async function signedIn({ world, event }: Pick<Selling, 'world' | 'event'>, email: string): Promise<PersonHandle> {
  let account = accounts.get(world)
  if (!account) accounts.set(world, (account = apiAccountAt(world, event)))
  return personAt(world, event, { email, registrations: 0, account: await account })
}
