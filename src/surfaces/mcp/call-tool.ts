import type { Db } from '../../kernel/columns.ts'
import type { ConfirmThresholds } from '../../kernel/confirm.ts'
import type { AccountContext, ClientAccess, EventSummaryRow } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { newContext } from '../../kernel/new-context.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { type Permissions, getPermissionsInAnyScope, permissionsOf } from '../../kernel/permissions.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { Organizer } from '../../domains/access/verify-organizer.ts'
import { findKindsOfRecordIds } from '../../domains/audit/identify-records.ts'
import { readConfirmThresholds } from '../../domains/tenancy/confirm-thresholds.ts'
import { resolveClient, resolveEvent } from '../../domains/tenancy/scope.ts'
import type { AppServices } from '../services.ts'
import { type CallArguments, decodeToolArguments } from './decode-arguments.ts'
import type { ToolCallOutcome } from './outcome.ts'
import { toCallerError } from './caller-error.ts'
import { explainUnknownIds } from './explain-unknown-ids.ts'
import { runAuthorizedToolCall } from './run-call.ts'
import { buildPageCursorScope } from './run-tool.ts'

/** An organizer who calls a tool, with an app's token or on a console page. */
type ToolCaller = Omit<Organizer, 'rate'>

interface CallScope {
  client?: ClientAccess
  event?: EventSummaryRow
  permissions: Permissions
}

/**
 * Runs a tool call of an organizer: checks scope, permission and arguments, then takes the steps shared by all calls. The scope (client or
 * event) comes before the permission, because roles differ by client. Both come before the arguments, so that a refusal needs no valid
 * arguments.
 */
export async function callOrganizerTool(
  services: AppServices,
  organizer: ToolCaller,
  tool: Tool,
  sent: CallArguments,
): Promise<ToolCallOutcome> {
  let place: CallScope | undefined
  try {
    place = await resolveScope(services, organizer, tool, sent)
    const { permissions } = place
    const missing = [...tool.permissions, ...tool.callPermissions(sent)].find((permission) => !permissions.has(permission))
    if (missing) throw new AppError('forbidden', `Forbidden — ${tool.name} requires the ${missing} permission`)
    const input = decodeToolArguments(tool, sent)
    const at = place
    return await runAuthorizedToolCall(services, {
      tool,
      input,
      createContext: (db) => buildContext(services, organizer, tool, at, input, db),
      action: { name: tool.name, clientId: at.client?.id, eventId: at.event?.id },
      thresholds: (ctx) => thresholdsAt(ctx, at),
      ran: organizer.ran?.tool === tool.name ? organizer.ran.rows : undefined,
    })
  } catch (error) {
    const refused = withScopeCodes(toCallerError(services, { tool: tool.name }, error), sent)
    return { kind: 'error', error: await explainAt(services, organizer, tool, place, sent, refused) }
  }
}

/** Adds to an error about an unknown id which kind of record the id belongs to. If that lookup fails, the original error is kept. */
async function explainAt(
  services: AppServices,
  { tenantId }: ToolCaller,
  tool: Tool,
  place: CallScope | undefined,
  sent: CallArguments,
  error: AppError,
): Promise<AppError> {
  const event = place?.event
  if (!event) return error
  return explainUnknownIds(error, tool, sent, (ids) =>
    findKindsOfRecordIds(services.database.read, { tenantId, eventId: event.id }, ids),
  ).catch(() => error)
}

/** Adds the event code and client code of a failed call to the call that its error message proposes as a fix. */
function withScopeCodes(error: AppError, { eventCode, clientCode }: CallArguments): AppError {
  const { fix } = error.details
  if (!fix || !('here' in fix)) return error
  const codes = { ...(eventCode === undefined ? {} : { eventCode }), ...(clientCode === undefined ? {} : { clientCode }) }
  return new AppError(error.code, error.message, { ...error.details, fix: { tool: fix.tool, arguments: { ...codes, ...fix.arguments } } })
}

/** Resolves the client or event of a call from its event code and client code, before other arguments are read. */
async function resolveScope(services: AppServices, organizer: ToolCaller, tool: Tool, sent: CallArguments): Promise<CallScope> {
  const { access } = organizer
  const eventCode = readCode(sent.eventCode)
  const clientCode = readCode(sent.clientCode)
  if (tool.scope === 'event' && eventCode !== undefined) {
    const { client, event } = await resolveEvent(services.database.pool, organizer, { eventCode, clientCode })
    const staff = access.staff.filter((s) => s.eventId === event.id).map((s) => s.role)
    return { client, event, permissions: permissionsOf([...client.roles, ...staff]) }
  }
  if (tool.scope === 'client' && clientCode !== undefined) {
    const client = resolveClient(access, clientCode)
    if (!client.active && !tool.servesInactiveClients) {
      throw new AppError('precondition_failed', `Client ${client.code} is inactive: its events are hidden until it is active again`, {
        fix: { tool: 'update_client', arguments: { clientCode: client.code, active: true } },
      })
    }
    return { client, permissions: permissionsOf(client.roles) }
  }
  // A call without the code of its event or client fails later, when its arguments are decoded. That error names the missing code.
  return { permissions: getPermissionsInAnyScope(access) }
}

/** Returns the event code in the arguments of a `tools/call` message; null for other messages, and for calls without an event code. */
export function readEventCode(message: object | null): string | null {
  const { params } = (message ?? {}) as { params?: { arguments?: { eventCode?: unknown } | null } | null }
  return readCode(params?.arguments?.eventCode) ?? null
}

const readCode = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? cleanText(value.trim().toLowerCase(), 80) : undefined

const buildContext = (
  services: AppServices,
  organizer: ToolCaller,
  tool: Tool,
  place: CallScope,
  input: CallArguments,
  db: Db,
): AccountContext & CallScope => ({
  ...newContext(services, { ...organizer, cursorScope: buildPageCursorScope(organizer.actor, tool, input) }, db),
  access: organizer.access,
  ...place,
})

const DEFAULT_THRESHOLDS: ConfirmThresholds = { recipients: 50, deletes: 20 }

const thresholdsAt = (ctx: AccountContext, { client }: CallScope) => (client ? readConfirmThresholds(ctx, client.id) : DEFAULT_THRESHOLDS)
