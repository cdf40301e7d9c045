import { newAuditDraft, writeAudit } from '../../kernel/audit.ts'
import { digestOf } from '../../kernel/canonical.ts'
import type { Db } from '../../kernel/columns.ts'
import { type ConfirmedCall, confirmTokenFor, refuseUnconfirmed, type Thresholds, useConfirmToken } from '../../kernel/confirm.ts'
import type { AccountContext, ClientAccess, EventHead } from '../../kernel/context.ts'
import { countEffects } from '../../kernel/effects.ts'
import { AppError } from '../../kernel/errors.ts'
import { claimKey, keepResult } from '../../kernel/idempotency.ts'
import { cleanText } from '../../kernel/outside-text.ts'
import { type Permissions, permissionsAnywhere, permissionsOf } from '../../kernel/permissions.ts'
import type { Database, Failures, JobQueue, Log } from '../../kernel/ports.ts'
import type { Keys } from '../../kernel/secrets.ts'
import type { Fetcher } from '../../kernel/fetcher.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { Organizer } from '../../domains/access/verify-organizer.ts'
import { confirmThresholdsOf } from '../../domains/tenancy/confirm-thresholds.ts'
import { resolveClient, resolveEvent } from '../../domains/tenancy/scope.ts'
import { type Arguments, decodeArguments } from './decode-arguments.ts'
import { refusalOf } from './refusal.ts'
import type { Outcome } from './outcome.ts'
import { cursorScopeOf, reachOut, runTool, transactInTime } from './run-tool.ts'
import { shapeResult } from './shape-result.ts'

/** What every call needs of the outside. */
export interface Road {
  database: Database
  keys: Keys
  queue: JobQueue
  log: Log
  /** The one way to addresses that somebody else chose. */
  fetcher: Fetcher
  baseUrl: string
  /** Left out where nothing is served: then the log is all that keeps an internal error. */
  failures?: Failures | undefined
}

interface Place {
  client?: ClientAccess
  event?: EventHead
  permissions: Permissions
}

/**
 * The road of every organizer's call: where, may they, what, seen before, confirmed, run, check, audit, commit. Scope comes
 * before permission, since roles differ by client, and both before arguments, so that a refusal needs no valid input.
 */
export async function callTool(road: Road, organizer: Organizer, tool: Tool, sent: Arguments): Promise<Outcome> {
  try {
    const place = await placeOf(road, organizer, tool, sent)
    if (tool.permission && !place.permissions.has(tool.permission)) {
      throw new AppError('forbidden', `Forbidden — ${tool.name} requires the ${tool.permission} permission`)
    }
    const input = decodeArguments(tool, sent)
    const contextOn = (db: Db) => contextOf(road, organizer, tool, place, input, db)
    if (tool.effect === 'read') return await read(tool, contextOn(road.database.read), input)
    const reached = await reachOut(tool, { ...contextOn(road.database.write), fetcher: road.fetcher }, input)
    return await change(road, tool, place, { input, reached }, contextOn)
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

function contextOf(road: Road, organizer: Organizer, tool: Tool, place: Place, input: Arguments, db: Db): AccountContext & Place {
  return {
    tenantId: organizer.tenantId,
    tenantCode: organizer.tenantCode,
    actor: organizer.actor,
    access: organizer.access,
    ...place,
    db,
    keys: road.keys,
    queue: road.queue,
    baseUrl: road.baseUrl,
    audit: newAuditDraft(),
    effects: countEffects(),
    cursorScope: cursorScopeOf(organizer.actor, tool, input),
    pictures: [],
  }
}

async function read(tool: Tool, ctx: AccountContext & Place, input: Arguments): Promise<Outcome> {
  const { json, untrusted } = shapeResult(tool, await runTool(tool, ctx, input))
  return { kind: 'result', json, untrusted, pictures: ctx.pictures }
}

/** Leaves the transaction without keeping anything of it, with the answer it had worked out. */
class Unkept {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    this.outcome = outcome
  }
}

interface Given {
  input: Arguments
  /** What the tool brought from outside. */
  reached: unknown
}

async function change(road: Road, tool: Tool, place: Place, given: Given, contextOn: (db: Db) => AccountContext & Place): Promise<Outcome> {
  try {
    return await transactInTime(road.database, tool.name, (db) => changeWithin(tool, place, given, contextOn(db)))
  } catch (error) {
    if (error instanceof Unkept) return error.outcome
    throw error
  }
}

/** Everything between begin and commit. */
async function changeWithin(tool: Tool, place: Place, { input, reached }: Given, ctx: AccountContext & Place): Promise<Outcome> {
  const { idempotencyKey, dryRun, confirmToken, ...own } = input as { idempotencyKey?: string; dryRun?: boolean; confirmToken?: string }
  const digest = digestOf(own)
  const keyed = tool.keyed && idempotencyKey !== undefined && !dryRun ? { tool: tool.name, key: idempotencyKey, digest } : null
  if (keyed) {
    const earlier = await claimKey(ctx, keyed)
    if (earlier) return { kind: 'result', ...shapeResult(tool, earlier.replay), pictures: [], replayed: true }
  }

  const result = await runTool(tool, ctx, input, reached)
  const call: ConfirmedCall = { tool: tool.name, digest, preview: { tool: tool.name, arguments: { ...own, dryRun: true } } }
  if (dryRun) throw new Unkept(await previewOf(tool, ctx, call, result))
  if (tool.effect === 'destructive') {
    if (confirmToken !== undefined) await useConfirmToken(ctx, call, confirmToken)
    else refuseUnconfirmed(ctx, call, await thresholdsAt(ctx, place), tool.confirms(own))
  }
  const { json, untrusted } = shapeResult(tool, result)
  await writeAudit(ctx, {
    tool: tool.name,
    ...(place.client ? { clientId: place.client.id } : {}),
    ...(place.event ? { eventId: place.event.id } : {}),
  })
  if (keyed) await keepResult(ctx, keyed, json)
  return { kind: 'result', json, untrusted, pictures: ctx.pictures }
}

const DEFAULT_THRESHOLDS: Thresholds = { recipients: 50, deletes: 20 }

const thresholdsAt = (ctx: AccountContext, { client }: Place) => (client ? confirmThresholdsOf(ctx, client.id) : DEFAULT_THRESHOLDS)

/** The answer of a dry run: what the call would have returned, what it would have done, and the token that lets it. */
async function previewOf(tool: Tool, ctx: AccountContext & Place, call: ConfirmedCall, result: unknown): Promise<Outcome> {
  const destructive = tool.effect === 'destructive'
  const preview = {
    effects: { ...ctx.effects.counts(), samples: ctx.effects.samples() },
    ...(result as object),
    dryRun: true,
    ...(destructive ? { confirmToken: await confirmTokenFor(ctx, call) } : {}),
  }
  return { kind: 'result', ...shapeResult(tool, preview), pictures: ctx.pictures }
}
