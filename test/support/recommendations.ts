import { updateChangedProfiles } from '../../src/domains/recommendations/update-profiles.ts'
import { createApiAccountAt, createPersonAt, type PersonHandle } from './participants.ts'
import type { SalesScenario } from './sales-scenario.ts'

const failingLogger = { error: (message: string, details?: object) => failOnError(message, details), info: () => {}, warn: () => {} }

function failOnError(message: string, details?: object): never {
  throw new Error(`${message} ${JSON.stringify(details)}`)
}

/** Updates the search profiles of changed records, as the worker does every few seconds. */
export const updateProfiles = ({ world }: Pick<SalesScenario, 'world'>): Promise<void> =>
  updateChangedProfiles({ transact: (run) => world.database.transact(run), log: failingLogger as never })

const accounts = new WeakMap<object, Promise<Awaited<ReturnType<typeof createApiAccountAt>>>>()

/** Signs in the participant with the given email, who has registered. */
export async function signInByEmail({ world, event }: Pick<SalesScenario, 'world' | 'event'>, email: string): Promise<PersonHandle> {
  let account = accounts.get(world)
  if (!account) accounts.set(world, (account = createApiAccountAt(world, event)))
  return createPersonAt(world, event, { email, registrations: 0, account: await account })
}
