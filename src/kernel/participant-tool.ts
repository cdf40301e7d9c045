import type { z } from 'zod'
import { code, id } from './args.ts'
import type { Context, EventHead } from './context.ts'
import { type Declaration, type Tool, tool } from './tool.ts'

type Shape = z.ZodRawShape

/** An assistant's API account at one event, before anybody signed in. */
export interface SignInContext extends Context {
  account: { id: string; name: string }
  client: { id: string; code: string; name: string }
  event: EventHead
}

/** One verified person. Tools pass `person` on to domain functions, never an id that the caller sent. */
export interface PersonContext extends SignInContext {
  person: { email: string; participantIds: readonly string[] }
}

/** That person's own registration, which existed when the session was issued. */
export interface RegistrantContext extends PersonContext {
  person: { email: string; participantIds: readonly string[]; participantId: string }
}

type ParticipantDeclaration<C extends Context, I extends Shape, O extends Shape, R> = Omit<
  Declaration<C, I, O, R>,
  'permission' | 'confirm' | 'servesInactiveClients'
>

/** Works without a session: the codes say where, the tool's own arguments who. */
export const signInTool = <I extends Shape, O extends Shape, R = undefined>(
  declaration: ParticipantDeclaration<SignInContext, I, O, R>,
): Tool => participantTool('signIn', { tenantCode: code(), clientCode: code(), eventCode: code() }, declaration)

/** Works with any session, also one from before the person registered. */
export const personTool = <I extends Shape, O extends Shape, R = undefined>(
  declaration: ParticipantDeclaration<PersonContext, I, O, R>,
): Tool => participantTool('person', {}, declaration)

/** Works on a registration of the person's own; of several under one email the caller names one. */
export const registrantTool = <I extends Shape, O extends Shape, R = undefined>(
  declaration: ParticipantDeclaration<RegistrantContext, I, O, R>,
): Tool => participantTool('registrant', { participantId: id().optional() }, declaration)

const participantTool = <C extends Context, I extends Shape, O extends Shape, R>(
  scope: 'signIn' | 'person' | 'registrant',
  scopeArguments: Shape,
  declaration: ParticipantDeclaration<C, I, O, R>,
): Tool => tool(scope, scopeArguments, { ...declaration, permission: null } as Declaration<C, I, O, R>)
