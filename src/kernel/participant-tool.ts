import type { z } from 'zod'
import { code, id } from './args.ts'
import type { Context, EventSummaryRow } from './context.ts'
import { type ToolDeclaration, type Tool, tool } from './tool.ts'

type Shape = z.ZodRawShape

/** The context of an assistant's API account at one event, before the participant has signed in. */
export interface SignInContext extends Context {
  account: { id: string; name: string }
  client: { id: string; code: string; name: string }
  event: EventSummaryRow
}

/** The context of a verified person. Tools pass `person` to domain functions, never an id sent by the caller. */
export interface VerifiedPersonContext extends SignInContext {
  person: { email: string; participantIds: readonly string[] }
}

/** The context of a verified person and one of their registrations, which existed when the sign-in session was issued. */
export interface RegistrantContext extends VerifiedPersonContext {
  person: { email: string; participantIds: readonly string[]; participantId: string }
}

type ParticipantDeclaration<C extends Context, I extends Shape, O extends Shape, R> = Omit<
  ToolDeclaration<C, I, O, R>,
  'permission' | 'confirm' | 'servesInactiveClients'
>

/** Declares a tool that works without a sign-in session: codes identify the event, and the tool's own arguments the person. */
export const signInTool = <I extends Shape, O extends Shape, R = undefined>(
  declaration: ParticipantDeclaration<SignInContext, I, O, R>,
): Tool => participantTool('signIn', { tenantCode: code(), clientCode: code(), eventCode: code() }, declaration)

/** Declares a tool that works with any sign-in session, including one that was issued before the person registered. */
export const personTool = <I extends Shape, O extends Shape, R = undefined>(
  declaration: ParticipantDeclaration<VerifiedPersonContext, I, O, R>,
): Tool => participantTool('person', {}, declaration)

/** Declares a tool that works on one of the person's own registrations. If several share the email address, the caller selects one. */
export const registrantTool = <I extends Shape, O extends Shape, R = undefined>(
  declaration: ParticipantDeclaration<RegistrantContext, I, O, R>,
): Tool => participantTool('registrant', { participantId: id('participant').optional() }, declaration)

const participantTool = <C extends Context, I extends Shape, O extends Shape, R>(
  scope: 'signIn' | 'person' | 'registrant',
  scopeArguments: Shape,
  declaration: ParticipantDeclaration<C, I, O, R>,
): Tool => tool(scope, scopeArguments, { ...declaration, permission: null } as ToolDeclaration<C, I, O, R>)
