import type { Db } from '../../kernel/columns.ts'
import type { Thresholds } from '../../kernel/confirm.ts'
import type { AccountContext, ClientAccess, EventHead } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { newContext } from '../../kernel/new-context.ts'
import { cleanText } from '../../kernel/outside-text.ts'
import { type Permissions, permissionsAnywhere, permissionsOf } from '../../kernel/permissions.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { Organizer } from '../../domains/access/verify-organizer.ts'
import { confirmThresholdsOf } from '../../domains/tenancy/confirm-thresholds.ts'
import { resolveClient, resolveEvent } from '../../domains/tenancy/scope.ts'
import type { Road } from '../road.ts'
import { type Arguments, decodeArguments } from './decode-arguments.ts'
import type { Outcome } from './outcome.ts'
import { refusalOf } from './refusal.ts'
import { runCall } from './run-call.ts'
import { cursorScopeOf } from './run-tool.ts'

interface Place {
  client?: ClientAccess
  event?: EventHead
  permissions: Permissions
}

/**
 * The road of every organizer's call: where, may they, what, and then what all calls share. Scope comes before permission, since
 * roles differ by client, and both before arguments, so that a refusal needs no valid input.
 */
export async function callTool(road: Road, organizer: Organizer, tool: Tool, sent: Arguments): Promise<Outcome> {
  try {
    const place = await placeOf(road, organizer, tool, sent)
    const missing = tool.permissions.find((permission) => !place.permissions.has(permission))
    if (missing) throw new AppError('forbidden', `Forbidden — ${tool.name} requires the ${missing} permission`)
    const input = decodeArguments(tool, sent)
    return await runCall(road, {
      tool,
      input,
      contextOn: (db) => contextOf(road, organizer, tool, place, input, db),
      doing: { name: tool.name, clientId: place.client?.id, eventId: place.event?.id },
      thresholds: (ctx) => thresholdsAt(ctx, place),
    })
  } catch (error) {
    return { kind: 'error', error: withPlace(refusalOf(road, { tool: tool.name }, error), sent) }
  }
}

/** A call that mends something at the same place is told with the codes of that place. */
function withPlace(error: AppError, { eventCode, clientCode }: Arguments): AppError {
  const { fix } = error.details
  if (!fix || !('here' in fix)) return error
  const codes = { ...(eventCode === undefined ? {} : { eventCode }), ...(clientCode === undefined ? {} : { clientCode }) }
  return new AppError(error.code, error.message, { ...error.details, fix: { tool: fix.tool, arguments: { ...codes, ...fix.arguments } } })
}

/** Where the call acts, decided from the codes alone. */
async function placeOf(road: Road, organizer: Organizer, tool: Tool, sent: Arguments): Promise<Place> {
  const { access } = organizer
  const eventCode = codeIn(sent.eventCode)
  const clientCode = codeIn(sent.clientCode)
  if (tool.scope === 'event' && eventCode !== undefined) {
    const { client, event } = await resolveEvent(road.database.pool, organizer, { eventCode, clientCode })
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
  // Without its code an event or client tool goes no further than its arguments, which say what is missing.
  return { permissions: permissionsAnywhere(access) }
}

const codeIn = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? cleanText(value.trim().toLowerCase(), 80) : undefined

const contextOf = (road: Road, organizer: Organizer, tool: Tool, place: Place, input: Arguments, db: Db): AccountContext & Place => ({
  ...newContext(road, { ...organizer, cursorScope: cursorScopeOf(organizer.actor, tool, input) }, db),
  access: organizer.access,
  ...place,
})

const DEFAULT_THRESHOLDS: Thresholds = { recipients: 50, deletes: 20 }

const thresholdsAt = (ctx: AccountContext, { client }: Place) => (client ? confirmThresholdsOf(ctx, client.id) : DEFAULT_THRESHOLDS)
