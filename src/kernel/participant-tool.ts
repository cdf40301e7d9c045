import type { z } from 'zod'
import { code, email } from './args.ts'
import type { Context, EventHead } from './context.ts'
import { type Declaration, type Tool, tool } from './tool.ts'

type Shape = z.ZodRawShape

/** An assistant's API account at one event, before anybody signed in. */
export interface SignInContext extends Context {
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

type ParticipantDeclaration<C extends Context, I extends Shape, O extends Shape> = Omit<Declaration<C, I, O>, 'permission'>

export const signInTool = <I extends Shape, O extends Shape>(declaration: ParticipantDeclaration<SignInContext, I, O>): Tool =>
  tool('signIn', { tenantCode: code(), clientCode: code(), eventCode: code(), email: email() }, { ...declaration, permission: null })

export const personTool = <I extends Shape, O extends Shape>(declaration: ParticipantDeclaration<PersonContext, I, O>): Tool =>
  tool('person', {}, { ...declaration, permission: null })

export const registrantTool = <I extends Shape, O extends Shape>(declaration: ParticipantDeclaration<RegistrantContext, I, O>): Tool =>
  tool('registrant', {}, { ...declaration, permission: null })
