import type { Db } from '../../kernel/columns.ts'
import type { Actor, EventHead } from '../../kernel/context.ts'
import { AppError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newContext } from '../../kernel/new-context.ts'
import type { PersonContext, SignInContext } from '../../kernel/participant-tool.ts'
import type { Tool } from '../../kernel/tool.ts'
import { covers } from '../../domains/access/coverage.ts'
import { verifyParticipantSession } from '../../domains/access/participant-sessions.ts'
import type { ApiAccount } from '../../domains/access/verify-api-account.ts'
import { chooseOwnRegistration } from '../../domains/registration/own-registrations.ts'
import { findEventOfClient } from '../../domains/tenancy/scope.ts'
import { type Arguments, decodeArguments } from '../mcp/decode-arguments.ts'
import type { Outcome } from '../mcp/outcome.ts'
import { refusalOf } from '../mcp/refusal.ts'
import { runCall } from '../mcp/run-call.ts'
import { cursorScopeOf } from '../mcp/run-tool.ts'
import type { Road } from '../road.ts'

export interface ParticipantCaller {
  account: ApiAccount
  /** As it came in X-Participant-Session; null where there was none. */
  session: string | null
}

/**
 * The road of a participant's call. Signing in: what, may the account go there, is there such an event. All else: who, may the account
 * still go there, which registration, what. Then what all calls share.
 */
export async function callParticipantTool(road: Road, caller: ParticipantCaller, tool: Tool, sent: Arguments): Promise<Outcome> {
  try {
    return await (tool.scope === 'signIn' ? signIn(road, caller, tool, sent) : asPerson(road, caller, tool, sent))
  } catch (error) {
    return { kind: 'error', error: refusalOf(road, { tool: tool.name }, error) }
  }
}

/** Where a call acts, and in whose name. */
interface At {
  tenantCode: string
  client: SignInContext['client']
  event: EventHead
  actor: Actor
}

async function signIn(road: Road, { account }: ParticipantCaller, tool: Tool, sent: Arguments): Promise<Outcome> {
  const input = decodeArguments(tool, sent)
  const codes = input as { tenantCode: string; clientCode: string; eventCode: string }
  const { tenantCode, clientCode, eventCode } = codes
  if (!covers(account, codes)) throw new AppError('forbidden', `API account is not authorized for ${tenantCode}/${clientCode}/${eventCode}`)
  const found = await findEventOfClient(road.database.pool, account.tenantId, codes)
  if (!found) throw notFound(`Event ${eventCode} does not belong to client ${clientCode}`)
  if (found.event.status === 'draft') throw preconditionFailed(`Event ${eventCode} is not open yet`)
  const actor: Actor = { kind: 'apiAccount', id: account.id, name: account.name, app: { id: account.id, name: account.name } }
  return run(road, account, tool, input, { ...found, tenantCode, actor }, {})
}

async function asPerson(road: Road, { account, session: token }: ParticipantCaller, tool: Tool, sent: Arguments): Promise<Outcome> {
  if (!token) throw preconditionFailed('Missing X-Participant-Session header — call agent_verify_otp first')
  const session = await verifyParticipantSession(road.database.pool, account, token)
  const { email, participantIds, event } = session
  const registrant = tool.scope === 'registrant'
  if (registrant && participantIds.length === 0) throw preconditionFailed(tool.unidentified, { fix: { say: SIGN_IN_AGAIN } })
  const input = decodeArguments(tool, sent)
  if (tool.effect !== 'read' && event.status === 'archived') throw preconditionFailed('This event has ended')
  const own = { tenantId: account.tenantId, eventId: event.id, participantIds }
  const chosen = registrant
    ? { participantId: await chooseOwnRegistration(road.database.read, own, input.participantId as string | undefined) }
    : {}
  // The same address at another event is somebody else: keys and cursors of one are no good at the other.
  const id = `${event.id}:${email.toLowerCase()}`
  const actor: Actor = { kind: 'participant', id, name: email, app: { id: account.id, name: account.name } }
  return run(road, account, tool, input, { ...session, actor }, { person: { email, participantIds, ...chosen } })
}

const SIGN_IN_AGAIN = 'call agent_request_otp and agent_verify_otp again and use the new session.'

function run(
  road: Road,
  account: ApiAccount,
  tool: Tool,
  input: Arguments,
  { tenantCode, client, event, actor }: At,
  who: Partial<Pick<PersonContext, 'person'>>,
): Promise<Outcome> {
  const cursorScope = cursorScopeOf(actor, tool, input)
  const contextOn = (db: Db): SignInContext => ({
    ...newContext(road, { tenantId: account.tenantId, tenantCode, actor, cursorScope }, db),
    account: { id: account.id, name: account.name },
    client,
    event,
    ...who,
  })
  return runCall(road, { tool, input, contextOn, doing: { name: tool.name, clientId: client.id, eventId: event.id }, thresholds: null })
}
