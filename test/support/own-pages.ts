import { newestCodeOf } from './codes.ts'
import type { Served } from './server.ts'
import { type Visitor, visitor } from './visitor.ts'
import type { EventPlace, World } from './world.ts'

/** The path of an event's pages. */
export const homeOf = ({ tenantCode, clientCode, eventCode }: EventPlace) => `/tenant/${tenantCode}/client/${clientCode}/event/${eventCode}`

/** A participant who signed in at an event with the code from their email. */
export async function personSignedIn(world: World, served: Served, at: EventPlace, email: string): Promise<Visitor> {
  const who = visitor(served)
  const signIn = `${homeOf(at)}/registration/sign-in`
  await who.post(signIn, { email })
  const code = await newestCodeOf(world, email)
  await who.post(`${signIn}/code`, { email, code }, { from: `${signIn}/code?email=${encodeURIComponent(email)}` })
  return who
}
