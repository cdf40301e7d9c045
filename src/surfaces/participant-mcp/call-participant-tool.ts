import type { Db } from '../../kernel/columns.ts'
import type { Actor, EventSummaryRow } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { AppError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newContext } from '../../kernel/new-context.ts'
import type { VerifiedPersonContext, SignInContext } from '../../kernel/participant-tool.ts'
import type { Tool } from '../../kernel/tool.ts'
import { isCoveredByApiAccount } from '../../domains/access/coverage.ts'
import { hasAccessibleRegistration, type ParticipantSession, verifyParticipantSession } from '../../domains/access/participant-sessions.ts'
import type { ApiAccount } from '../../domains/access/verify-api-account.ts'
import { findKindsOfRecordIds } from '../../domains/audit/identify-records.ts'
import { resolveOwnRegistration } from '../../domains/registration/own/own-registrations.ts'
import { findEventOfClient } from '../../domains/tenancy/scope.ts'
import { type CallArguments, decodeToolArguments } from '../mcp/decode-arguments.ts'
import type { ToolCallOutcome } from '../mcp/outcome.ts'
import { toCallerError } from '../mcp/caller-error.ts'
import { explainUnknownIds } from '../mcp/explain-unknown-ids.ts'
import { runAuthorizedToolCall } from '../mcp/run-call.ts'
import { buildPageCursorScope } from '../mcp/run-tool.ts'
import type { AppServices } from '../services.ts'

export interface ParticipantToolCaller {
  account: ApiAccount
  /** The X-Participant-Session header; null if missing. */
  session: string | null
}

/**
 * Runs a tool call of a participant. Sign-in tools check the arguments, which events the API account covers, and the event. All other tools
 * check the sign-in session, which events the account covers, the registration and the arguments. The remaining steps are the same for all
 * calls.
 */
export async function callParticipantTool(
  services: AppServices,
  caller: ParticipantToolCaller,
  tool: Tool,
  sent: CallArguments,
): Promise<ToolCallOutcome> {
  try {
    return await (tool.scope === 'signIn' ? signIn(services, caller, tool, sent) : asPerson(services, caller, tool, sent))
  } catch (error) {
    return { kind: 'error', error: toCallerError(services, { tool: tool.name }, error) }
  }
}

/** The client and event of a call, and the person who makes it. */
interface ParticipantScope {
  tenantCode: string
  client: SignInContext['client']
  event: EventSummaryRow
  actor: Actor
}

async function signIn(
  services: AppServices,
  { account }: ParticipantToolCaller,
  tool: Tool,
  sent: CallArguments,
): Promise<ToolCallOutcome> {
  const input = decodeToolArguments(tool, sent)
  const codes = input as { tenantCode: string; clientCode: string; eventCode: string }
  const { tenantCode, clientCode, eventCode } = codes
  if (!isCoveredByApiAccount(account, codes))
    throw new AppError('forbidden', `API account is not authorized for ${tenantCode}/${clientCode}/${eventCode}`)
  const found = await findEventOfClient(services.database.pool, account.tenantId, codes)
  if (!found) throw notFound(`Event ${eventCode} does not belong to client ${clientCode}`)
  if (found.event.status === 'draft') throw preconditionFailed(`Event ${eventCode} is not open yet`)
  const actor: Actor = { kind: 'apiAccount', id: account.id, name: account.name, app: { id: account.id, name: account.name } }
  return run(services, account, tool, input, { ...found, tenantCode, actor }, {})
}

async function asPerson(
  services: AppServices,
  { account, session: token }: ParticipantToolCaller,
  tool: Tool,
  sent: CallArguments,
): Promise<ToolCallOutcome> {
  if (!token) throw preconditionFailed('Missing X-Participant-Session header — call agent_verify_otp first')
  const session = await verifyParticipantSession(services.database.pool, account, token)
  try {
    return await asVerifiedPerson(services, account, session, tool, sent)
  } catch (error) {
    const { participantIds, event } = session
    const viewer = { tenantId: account.tenantId, eventId: event.id, participantIds }
    if (!(error instanceof AppError)) throw error
    const explained = explainUnknownIds(error, tool, sent, (ids) => findKindsOfRecordIds(services.database.read, viewer, ids))
    throw await explained.catch(() => error)
  }
}

async function asVerifiedPerson(
  services: AppServices,
  account: ApiAccount,
  session: ParticipantSession,
  tool: Tool,
  sent: CallArguments,
): Promise<ToolCallOutcome> {
  const { email, participantIds, event } = session
  const registrant = tool.scope === 'registrant'
  if (registrant && participantIds.length === 0) {
    const registered = await hasAccessibleRegistration(services.database.read, { tenantId: account.tenantId, eventId: event.id, email })
    throw preconditionFailed(tool.unidentifiedMessage, { fix: { say: registered ? SIGN_IN_AGAIN : REGISTER_FIRST } })
  }
  const input = decodeToolArguments(tool, sent)
  if (tool.effect !== 'read' && event.status === 'archived') throw preconditionFailed('This event has ended')
  const own = { tenantId: account.tenantId, eventId: event.id, participantIds }
  const chosen = registrant
    ? { participantId: await resolveOwnRegistration(services.database.read, own, input.participantId as string | undefined) }
    : {}
  // The same email address at another event is another actor, so idempotency keys and cursors are not shared between events.
  const id = `${event.id}:${foldEmailCase(email)}`
  const actor: Actor = { kind: 'participant', id, name: email, app: { id: account.id, name: account.name } }
  return run(services, account, tool, input, { ...session, actor }, { person: { email, participantIds, ...chosen } })
}

const SIGN_IN_AGAIN = 'call agent_request_otp and agent_verify_otp again and use the new session.'
const REGISTER_FIRST =
  'this person is not registered yet. Call agent_submit_registration (agent_list_flows shows the questions), then agent_request_otp and agent_verify_otp again, and use the new session.'

function run(
  services: AppServices,
  account: ApiAccount,
  tool: Tool,
  input: CallArguments,
  { tenantCode, client, event, actor }: ParticipantScope,
  who: Partial<Pick<VerifiedPersonContext, 'person'>>,
): Promise<ToolCallOutcome> {
  const cursorScope = buildPageCursorScope(actor, tool, input)
  const createContext = (db: Db): SignInContext => ({
    ...newContext(services, { tenantId: account.tenantId, tenantCode, actor, cursorScope }, db),
    account: { id: account.id, name: account.name },
    client,
    event,
    ...who,
  })
  return runAuthorizedToolCall(services, {
    tool,
    input,
    createContext,
    action: { name: tool.name, clientId: client.id, eventId: event.id },
    thresholds: null,
  })
}
