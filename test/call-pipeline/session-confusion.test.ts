import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueParticipantSession } from '../../src/domains/access/participant-sessions.ts'
import { hashToken } from '../../src/kernel/secrets.ts'
import type { McpEndpointDefinition } from '../../src/surfaces/mcp/transport.ts'
import { serializeResultFields } from '../../src/surfaces/mcp/outcome.ts'
import { createParticipantMcpEndpoint } from '../../src/surfaces/participant-mcp/endpoint.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'
import { type AccountHandle, createApiAccountAt, PARTICIPANT_TOOLS_SERVED, createRegistrationAt } from '../support/participants.ts'
import { soakRounds } from '../support/soak.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

/** Tries every account with every session at every tool, and compares each answer with the expected table. */

const EMAILS = ['registered@example.org', 'unknown@example.org'] as const
const STATES = ['live', 'expired', 'ended', 'renamed', 'forged', 'none'] as const
type State = (typeof STATES)[number]

interface Account extends AccountHandle {
  name: string
  /** The events that the account covers. */
  events: readonly EventHandle[]
  /** The error that the endpoint returns for every request of this account, or null if it is admitted. */
  admissionError: string | null
}

interface Session {
  state: State
  token: string | null
  account: Account
  event: EventHandle
  email: string
  registered: boolean
}

let world: World
let endpoint: McpEndpointDefinition
let events: EventHandle[]
let accounts: Account[]
const sessions: Session[] = []

const MISSING = 'Missing X-Participant-Session header — call agent_verify_otp first'
const INVALID = 'Invalid or expired participant session'
const LOST = 'This API account is no longer authorized for this event.'
const REVOKED = 'Invalid or revoked API token'
const NOT_ENABLED = 'API account is not enabled for the participant MCP endpoint'

const query = (text: string, values: unknown[]) => world.database.pool.query<any>(text, values)

beforeAll(async () => {
  world = await newWorld()
  endpoint = createParticipantMcpEndpoint({ services: world.services, tools: PARTICIPANT_TOOLS_SERVED })
  const acme = await world.client({ code: 'acme' })
  const other = await world.client({ code: 'other' })
  const abroad = await world.client({ tenant: 'abroad', code: 'acme' })
  events = [
    await world.event({ at: acme, code: 'summit' }),
    await world.event({ at: acme, code: 'gala' }),
    await world.event({ at: other, code: 'summit' }),
    await world.event({ at: abroad, code: 'summit' }),
  ]
  const [summit, gala, others, foreign] = events as [EventHandle, EventHandle, EventHandle, EventHandle]
  const account = async (
    name: string,
    at: EventHandle,
    covered: readonly EventHandle[],
    admissionError: string | null = null,
  ): Promise<Account> => ({
    ...(await createApiAccountAt(world, at, name)),
    name,
    events: covered,
    admissionError,
  })
  const narrow = await account('narrow', summit, [summit])
  const lost = await account('lost', summit, [])
  const off = await account('off', summit, [], REVOKED)
  const rest = await account('rest', summit, [], NOT_ENABLED)
  accounts = [
    await account('one', summit, [summit, gala]),
    await account('two', summit, [summit, gala]),
    await account('others', others, [others]),
    await account('foreign', foreign, [foreign]),
    narrow,
    lost,
    off,
    rest,
  ]
  await query(`update api_accounts set allowed_clients = '[]', allowed_events = $2 where id = $1`, [
    narrow.accountId,
    JSON.stringify([{ tenantCode: summit.tenantCode, clientCode: summit.clientCode, eventCode: summit.eventCode }]),
  ])
  for (const event of events) await createRegistrationAt(world, event, { email: EMAILS[0] })
  for (const by of accounts) {
    const had = by === lost || by.admissionError !== null ? [summit, gala] : by.events
    for (const event of had) for (const email of EMAILS) for (const state of STATES) sessions.push(await sessionOf(by, event, email, state))
  }
  await query(`update api_accounts set active = false where id = $1`, [off.accountId])
  await query(`update api_accounts set can_act_as_participant_agent = false where id = $1`, [rest.accountId])
  await query(`update api_accounts set allowed_clients = '[]' where id = $1`, [lost.accountId])
})
afterAll(() => world.end())

async function sessionOf(account: Account, event: EventHandle, email: string, state: State): Promise<Session> {
  const registered = email === EMAILS[0]
  const session = { state, account, event, email, registered }
  if (state === 'none') return { ...session, token: null }
  if (state === 'forged') return { ...session, token: `lps_${'a'.repeat(43)}` }
  // Each session gets an email address of its own, because changing the address must not affect the other sessions.
  const own = state === 'renamed' ? `renamed-${sessions.length}@example.org` : email
  const id = state === 'renamed' ? await createRegistrationAt(world, event, { email: own }) : null
  const at = { tenantId: event.tenantId, accountId: account.accountId, eventId: event.eventId, email: own }
  const token = (await issueParticipantSession(world.database.write, at)).token.reveal()
  const set = (what: string) => query(`update participant_sessions set ${what} = lanyard_now() where hash = $1`, [hashToken(token)])
  if (state === 'expired') await set('expires_at')
  if (state === 'ended') await set('ended_at')
  if (id) await query(`update participants set email = 'moved-' || email where id = $1`, [id])
  return { ...session, email: own, registered: registered || id !== null, token }
}

/** Makes the same checks as the endpoint does for a request. */
async function call(account: Account, session: string | null, tool: string, args: Record<string, unknown>) {
  const headers = { authorization: `Bearer ${account.token}` }
  const request = {
    headers,
    headersDistinct: { authorization: [headers.authorization], ...(session ? { 'x-participant-session': [session] } : {}) },
  } as unknown as IncomingMessage
  const admission = await endpoint.admit(request, null)
  if (!('call' in admission)) return { admissionError: admission.message }
  const served = PARTICIPANT_TOOLS_SERVED.find(({ name }) => name === tool)!
  const answer = JSON.parse(`{${serializeResultFields(await admission.call(served, args))}}`)
  return answer.isError ? { refused: answer._meta['lanyard/error'].message as string } : { result: answer.structuredContent }
}

/** The expected error; null if the session is valid for the account. */
function expected(caller: Account, session: Session): string | null {
  if (caller.admissionError) return caller.admissionError
  if (session.token === null) return MISSING
  if (session.account !== caller || session.state === 'forged' || session.state === 'expired') return INVALID
  if (!caller.events.includes(session.event)) return LOST
  return session.state === 'live' ? null : INVALID
}

const EVERY_TOOL = soakRounds(1) > 1

const SESSION_SENTENCES = new Set([MISSING, INVALID, LOST])

describe('every API account with every participant session', () => {
  it('accepts only participant sessions of the same API account that are still valid, at every tool', async () => {
    const tools = PARTICIPANT_TOOLS_SERVED.filter(({ scope }) => scope !== 'signIn')
    const wrongly: string[] = []
    let [accepted, pairs] = [0, 0]
    for (const caller of accounts) {
      for (const session of sessions) {
        pairs++
        for (const [i, tool] of tools.entries()) {
          // A wrong session is refused before the tool matters: a soak tries all tools, other runs try one tool per pair in turn.
          if (!EVERY_TOOL && expected(caller, session) !== null && pairs % tools.length !== i) continue
          const attempt = `${caller.name} with a ${session.state} session of ${session.account.name} at ${tool.name}`
          const answer = await call(caller, session.token, tool.name, {})
          const sentence = expected(caller, session)
          const got = answer.admissionError ?? answer.refused ?? null
          if (sentence !== null && got !== sentence) wrongly.push(`${attempt}: ${got ?? 'accepted'} instead of ${sentence}`)
          if (sentence !== null) continue
          accepted++
          if (got !== null && SESSION_SENTENCES.has(got)) wrongly.push(`${attempt}: ${got}`)
          if (tool.scope === 'registrant' && !session.registered && got !== tool.unidentifiedMessage)
            wrongly.push(`${attempt}: ${got ?? 'accepted'}`)
          if (
            tool.name === 'fixture_whoami' &&
            (answer.result?.email !== session.email || answer.result?.event !== session.event.eventCode)
          )
            wrongly.push(`${attempt}: is ${JSON.stringify(answer)}`)
        }
      }
    }
    expect(wrongly).toEqual([])
    expect(accepted).toBe(tools.length * sessions.filter((one) => expected(one.account, one) === null).length)
    expect(accepted).toBeGreaterThan(0)
  })
})

describe('every API account with the sign-in codes of every event', () => {
  const codesOf = ({ tenantCode, clientCode, eventCode }: EventHandle) => ({ tenantCode, clientCode, eventCode })
  const covers = (account: Account, event: EventHandle) =>
    account.events.some((one) => JSON.stringify(codesOf(one)) === JSON.stringify(codesOf(event)))

  it('sends sign-in codes only for events that the account covers', async () => {
    for (const caller of accounts) {
      for (const event of events) {
        const { tenantCode, clientCode, eventCode } = event
        const email = `${caller.name}-${tenantCode}-${clientCode}-${eventCode}@example.org`
        const answer = await call(caller, null, 'agent_request_otp', { ...codesOf(event), email })
        const emails = (await query(`select from messages where to_address = $1`, [email])).rows.length
        if (caller.admissionError) expect(answer).toEqual({ admissionError: caller.admissionError })
        else if (covers(caller, event)) expect(answer).toEqual({ result: { sent: true, expiresInSeconds: 900 } })
        else expect(answer).toEqual({ refused: `API account is not authorized for ${tenantCode}/${clientCode}/${eventCode}` })
        expect(emails).toBe(covers(caller, event) && !caller.admissionError ? 1 : 0)
      }
    }
  })

  it('verifies a sign-in code only with the account, event and email address it was sent for', async () => {
    const [mine] = accounts as [Account]
    const [summit] = events as [EventHandle]
    const email = 'cross@example.org'
    await call(mine, null, 'agent_request_otp', { ...codesOf(summit), email })
    const code = await readLatestCode(world, email)
    let tried = 0
    for (const caller of accounts) {
      for (const event of events) {
        for (const address of [email, 'other-cross@example.org']) {
          if (caller === mine && event === summit && address === email) continue
          const answer = await call(caller, null, 'agent_verify_otp', { ...codesOf(event), email: address, code })
          tried++
          if (caller.admissionError) expect(answer).toEqual({ admissionError: caller.admissionError })
          else if (covers(caller, event)) expect(answer).toEqual({ result: { verified: false, reason: 'expired_or_missing' } })
          else expect(answer.refused).toMatch(/^API account is not authorized for /)
        }
      }
    }
    expect(tried).toBe(accounts.length * events.length * 2 - 1)
    expect(await call(mine, null, 'agent_verify_otp', { ...codesOf(summit), email, code })).toMatchObject({ result: { verified: true } })
  })
})
