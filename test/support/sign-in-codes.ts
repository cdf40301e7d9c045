import { type AccountHandle, createApiAccountAt, personHandle } from './participants.ts'
import type { EventHandle, ToolRefusal, World } from './world.ts'

export interface SentEmail {
  subject: string
  text: string
  html: string
  status: string
}

/** Sign-in codes that were sent, newest first. */
export async function listCodeEmails(world: Pick<World, 'database'>, email: string): Promise<SentEmail[]> {
  const { rows } = await world.database.pool.query<SentEmail>(
    `select subject, text_body as text, html_body as html, status from messages
     where category = 'signin.code' and to_address = $1 order by id desc`,
    [email],
  )
  return rows
}

export const extractCode = ({ text }: Pick<SentEmail, 'text'>): string => /\b\d{6}\b/.exec(text)![0]

export async function readLatestCode(world: Pick<World, 'database'>, email: string): Promise<string> {
  return extractCode((await listCodeEmails(world, email))[0]!)
}

/** Returns a code that differs from the given one. */
export const chooseWrongCode = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0')

export interface SignInCalls {
  account: AccountHandle
  at: { tenantCode: string; clientCode: string; eventCode: string }
  request: (email: string) => Promise<{ sent: boolean; expiresInSeconds: number }>
  /** Requests a code and reads it from the email. */
  requestCode: (email: string) => Promise<string>
  verify: (email: string, code: string) => Promise<any>
  refusedRequest: (email: string) => Promise<ToolRefusal>
}

/** An assistant at the event before a participant has signed in. */
export async function assistantAt(world: World, event: EventHandle, given?: AccountHandle): Promise<SignInCalls> {
  const account = given ?? (await createApiAccountAt(world, event, 'Concierge by Acme'))
  const { tenantCode, clientCode, eventCode } = event
  const at = { tenantCode, clientCode, eventCode }
  const caller = personHandle(world, { ...account, email: '', session: null, participantIds: [] })
  const request = (email: string) => caller.call('agent_request_otp', { ...at, email })
  return {
    account,
    at,
    request,
    async requestCode(email) {
      await request(email)
      return readLatestCode(world, email)
    },
    verify: (email, code) => caller.call('agent_verify_otp', { ...at, email, code }),
    refusedRequest: (email) => caller.refused('agent_request_otp', { ...at, email }),
  }
}
