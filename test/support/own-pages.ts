import { readLatestCode } from './sign-in-codes.ts'
import type { Served } from './server.ts'
import { type Visitor, visitor } from './visitor.ts'
import type { EventHandle, World } from './world.ts'

/** The path of an event's pages. */
export const eventHomePath = ({ tenantCode, clientCode, eventCode }: EventHandle) =>
  `/tenant/${tenantCode}/client/${clientCode}/event/${eventCode}`

/** A participant who signed in at an event with the code from their email. */
export async function signInVisitor(world: World, served: Served, at: EventHandle, email: string): Promise<Visitor> {
  const who = visitor(served)
  await verifyMailbox(world, who, at, email)
  return who
}

/** Signs in with the emailed code in a browser that may have started a registration, which verifies that registration. */
export async function verifyMailbox(world: Pick<World, 'database'>, who: Visitor, at: EventHandle, email: string): Promise<void> {
  const signIn = `${eventHomePath(at)}/registration/sign-in`
  const form = `${signIn}?email=${encodeURIComponent(email)}`
  await who.post(signIn, { email }, { from: form })
  const code = await readLatestCode(world, email)
  await who.post(`${signIn}/code`, { email, code }, { from: `${signIn}/code?email=${encodeURIComponent(email)}` })
}
