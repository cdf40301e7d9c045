import { createApiAccount, issueApiToken } from '../../src/domains/access/api-accounts.ts'
import { issueParticipantSession } from '../../src/domains/access/participant-sessions.ts'
import { verifyApiAccount } from '../../src/domains/access/verify-api-account.ts'
import { newId } from '../../src/kernel/ids.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { serializeResultFields } from '../../src/surfaces/mcp/outcome.ts'
import { callParticipantTool } from '../../src/surfaces/participant-mcp/call-participant-tool.ts'
import { PARTICIPANT_FIXTURES, createWishesTable } from './fixture-tools/participants.ts'
import type { EventHandle, ClientHandle, ToolRefusal, ToolAnswer, World } from './world.ts'

type Arguments = Record<string, unknown>

export interface AccountHandle {
  tenantId: number
  accountId: string
  token: string
}

export interface PersonHandle extends AccountHandle {
  email: string
  /** The session token; null before sign-in. */
  session: string | null
  participantIds: readonly string[]
  /** Calls a tool through the real call pipeline, with account and session checked as for a request. */
  answer: (tool: string, args?: Arguments) => Promise<ToolAnswer>
  call: (tool: string, args?: Arguments) => Promise<any>
  refused: (tool: string, args?: Arguments) => Promise<ToolRefusal>
  /** Returns the same caller with another token or session. */
  with: (other: Partial<Pick<PersonHandle, 'token' | 'session'>>) => PersonHandle
}

const codesOf = ({ tenantCode, clientCode }: ClientHandle) => ({ tenantCode, clientCode })

export async function createApiAccountAt(world: World, at: ClientHandle, name = 'Concierge'): Promise<AccountHandle> {
  await createWishesTable(world.database.pool)
  const accountId = await createApiAccount(world.database.write, {
    tenantId: at.tenantId,
    name,
    canActAsParticipantAgent: true,
    restAccess: true,
    allowedClients: [codesOf(at)],
    allowedEvents: [],
  })
  const token = (await issueApiToken(world.database.write, { tenantId: at.tenantId, accountId })).reveal()
  return { tenantId: at.tenantId, accountId, token }
}

export async function createRegistrationAt(
  world: World,
  at: EventHandle,
  person: {
    email: string
    firstName?: string
    lastName?: string
    status?: 'incomplete' | 'complete' | 'waitlisted' | 'cancelled'
    isTestData?: boolean
  },
): Promise<string> {
  const id = newId()
  await world.database.write
    .insertInto('participants')
    .values({
      tenant_id: at.tenantId,
      event_id: at.eventId,
      id,
      status: person.status ?? 'complete',
      completed_at: new Date(),
      confirmation_number: id,
      cancelled_at: person.status === 'cancelled' ? new Date() : null,
      is_test_data: person.isTestData ?? false,
      first_name: person.firstName ?? 'Petra',
      last_name: person.lastName ?? 'Participant',
      email: person.email,
      flow_slug: null,
      custom_field_responses: '{}',
    })
    .execute()
  return id
}

export const PARTICIPANT_TOOLS_SERVED = [...PARTICIPANT_TOOLS, ...PARTICIPANT_FIXTURES]
const tools = new Map(PARTICIPANT_TOOLS_SERVED.map((tool) => [tool.name, tool]))

let made = 0

/** A participant who signed in with an email address that has the given number of registrations. */
export async function createPersonAt(
  world: World,
  at: EventHandle,
  {
    email = `person-${++made}@example.org`,
    registrations = 1,
    account,
  }: { email?: string; registrations?: number; account?: AccountHandle } = {},
): Promise<PersonHandle> {
  const by = account ?? (await createApiAccountAt(world, at))
  const participantIds: string[] = []
  for (let i = 0; i < registrations; i++) participantIds.push(await createRegistrationAt(world, at, { email, firstName: `Petra ${i + 1}` }))
  const { token: session } = await issueParticipantSession(world.database.write, {
    tenantId: at.tenantId,
    accountId: by.accountId,
    eventId: at.eventId,
    email,
  })
  return personHandle(world, { ...by, email, participantIds, session: session.reveal() })
}

/** An existing participant, signed in with their email address. */
export async function signInParticipantAt(
  world: World,
  at: EventHandle,
  account: AccountHandle,
  id: string,
): Promise<PersonHandle & { id: string }> {
  const { email } = await world.database.write.selectFrom('participants').select('email').where('id', '=', id).executeTakeFirstOrThrow()
  const { token } = await issueParticipantSession(world.database.write, {
    tenantId: at.tenantId,
    accountId: account.accountId,
    eventId: at.eventId,
    email: email!,
  })
  return { ...personHandle(world, { ...account, email: email!, participantIds: [id], session: token.reveal() }), id }
}

export function personHandle(world: World, person: Omit<PersonHandle, 'answer' | 'call' | 'refused' | 'with'>): PersonHandle {
  const answer = async (name: string, args: Arguments = {}): Promise<ToolAnswer> => {
    const account = await verifyApiAccount(world.database.pool, person.token)
    if (!account) throw new Error('the API token is not valid')
    const outcome = await callParticipantTool(world.services, { account, session: person.session }, tools.get(name)!, args)
    return JSON.parse(`{${serializeResultFields(outcome)}}`) as ToolAnswer
  }
  return {
    ...person,
    answer,
    call: async (name, args) => {
      const { isError, content, structuredContent } = await answer(name, args)
      if (isError) throw new Error(`${name} was refused: ${content[0]!.text}`)
      return structuredContent
    },
    refused: async (name, args) => {
      const { isError, content, _meta } = await answer(name, args)
      if (!isError) throw new Error(`${name} went through: ${content[0]!.text}`)
      return { ...(_meta!['lanyard/error'] as ToolRefusal), text: content[0]!.text! }
    },
    with: (other) => personHandle(world, { ...person, ...other }),
  }
}
