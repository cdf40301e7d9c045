import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { editRecord } from '../../kernel/edit-record.ts'
import { AppError, conflict, type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { newId, slugOf } from '../../kernel/ids.ts'
import { nearestFew } from '../../kernel/nearest.ts'
import type { Reaching } from '../../kernel/tool.ts'
import { lockEvent } from '../tenancy/lock-event.ts'
import { checkAddresses } from './addresses.ts'
import { CONNECTION, type ConnectionRow, toldOf } from './connections.ts'
import { toConnection } from './describe.ts'
import { DIRECTORY_PRESETS, type DirectoryPreset, findPreset } from './engine/presets.ts'
import { checkSettings } from './settings.ts'
import type { OnFailure } from './tables.ts'
import { isList, replaceList } from './uploaded-lists.ts'

const MOST = 10

export interface NewConnection {
  name: string
  preset: string
  code?: string | undefined
  baseUrl?: string | undefined
  settings?: Record<string, string> | undefined
  onFailure?: OnFailure | undefined
  cacheMinutes?: number | undefined
  timeoutMs?: number | undefined
}

/** Before the transaction: names are looked up, which may take a while. */
export async function checkNewAddress(ctx: Reaching<EventContext>, input: NewConnection): Promise<FieldError[]> {
  const preset = getPreset(input.preset)
  const { csv: _csv, ...settings } = checkSettings(preset, input.settings ?? {})
  return checkAddresses(ctx.fetcher, { preset: preset.code, base_url: baseUrlOf(preset, input.baseUrl), settings, auth: preset.auth })
}

/** A copy of its preset, which later versions of the preset leave alone. */
export async function createConnection(ctx: EventContext, input: NewConnection) {
  const preset = getPreset(input.preset)
  const { csv, ...settings } = checkSettings(preset, input.settings ?? {})
  await refuseEleventh(ctx)
  const row = await ctx.db
    .insertInto('directory_connections')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      code: input.code ?? slugOf(input.name),
      name: input.name,
      preset: preset.code,
      base_url: baseUrlOf(preset, input.baseUrl),
      settings: JSON.stringify(settings),
      auth: JSON.stringify(preset.auth),
      requests: JSON.stringify(preset.requests),
      bindings: JSON.stringify(preset.bindings),
      tag_rules: JSON.stringify(preset.tagRules),
      ...(input.onFailure === undefined ? {} : { on_failure: input.onFailure }),
      ...(input.cacheMinutes === undefined ? {} : { cache_minutes: input.cacheMinutes }),
      ...(input.timeoutMs === undefined ? {} : { timeout_ms: input.timeoutMs }),
    })
    .onConflict((c) => c.columns(['tenant_id', 'event_id', 'code']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw conflict(`A directory connection ${input.code ?? slugOf(input.name)} exists at this event already — pass another code`)
  const listed = csv === undefined ? row : await withList(ctx, row, csv)
  recordChange(ctx, { kind: CONNECTION.kind, id: row.id, after: toldOf(listed) })
  return toConnection(ctx, listed)
}

/** Its entries hang on the connection, so it must be there before them. What is new is noted as one, not as edited. */
async function withList(ctx: EventContext, row: ConnectionRow, csv: string): Promise<ConnectionRow> {
  const { settings, sources } = await replaceList(ctx, row.id, csv)
  return (await editRecord({ db: ctx.db }, CONNECTION, row, { settings }, { sources: JSON.stringify(sources) })).row
}

function getPreset(code: string): DirectoryPreset {
  const preset = findPreset(code)
  if (preset) return preset
  const known = DIRECTORY_PRESETS.map((one) => one.code)
  const near = nearestFew(code, known, 3)
  throw invalidArguments([
    { path: 'preset', message: `no preset ${code}; there are ${known.join(', ')}`, allowed: [...new Set([...near, ...known])] },
  ])
}

function baseUrlOf(preset: DirectoryPreset, given: string | undefined): string {
  if (isList({ preset: preset.code })) {
    if (given === undefined) return ''
    throw invalidArguments([{ path: 'baseUrl', message: 'an uploaded list is kept here and has no address' }])
  }
  const baseUrl = given ?? preset.fixedBaseUrl
  if (baseUrl === undefined) throw invalidArguments([{ path: 'baseUrl', message: `is required: ${preset.baseUrlHint}` }])
  return baseUrl
}

/** The lock is on the event, so that two at once are counted one after the other. */
async function refuseEleventh(ctx: EventContext): Promise<void> {
  await lockEvent(ctx)
  const { count } = await ctx.db
    .selectFrom('directory_connections')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .executeTakeFirstOrThrow()
  if (count >= MOST) {
    throw new AppError(
      'limit_exceeded',
      `Event ${ctx.event.code} has ${count} directory connections, and ${MOST} are the most — delete one first`,
      {
        fix: { tool: 'list_directory_connections', arguments: {}, here: true },
      },
    )
  }
}
