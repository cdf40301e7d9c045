import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { editRecord } from '../../kernel/records.ts'
import { AppError, conflict, type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { newId, toSlug } from '../../kernel/ids.ts'
import { listMostSimilarNames } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { PrefetchContext } from '../../kernel/tool.ts'
import { lockEventRow } from '../tenancy/lock-event.ts'
import { checkDirectoryUrls } from './addresses.ts'
import { CONNECTION_RECORD, type ConnectionRow, toConnectionAuditRecord } from './connections.ts'
import { toConnectionResult } from './describe.ts'
import { DIRECTORY_PRESETS, type DirectoryPreset, findPreset } from './engine/presets.ts'
import { checkConnectionSettings } from './settings.ts'
import type { LookupFailurePolicy } from './tables.ts'
import { isUploadedList, replaceUploadedList } from './uploaded-lists.ts'

const MAX_CONNECTIONS_PER_EVENT = 10

export interface NewConnection {
  name: string
  preset: string
  code?: string | undefined
  baseUrl?: string | undefined
  settings?: Record<string, string> | undefined
  onFailure?: LookupFailurePolicy | undefined
  cacheMinutes?: number | undefined
  timeoutMs?: number | undefined
}

/** Checks the URL of a new directory connection. Runs before the transaction, because resolving host names may take long. */
export async function checkNewConnectionUrl(ctx: PrefetchContext<EventContext>, input: NewConnection): Promise<FieldError[]> {
  const preset = getPreset(input.preset)
  const { csv: _csv, ...settings } = checkConnectionSettings(preset, input.settings ?? {})
  return checkDirectoryUrls(ctx.fetcher, {
    preset: preset.code,
    base_url: chooseBaseUrl(preset, input.baseUrl),
    settings,
    auth: preset.auth,
  })
}

/** Creates a connection with a copy of the preset, so that later versions of the preset do not change the connection. */
export async function createConnection(ctx: EventContext, input: NewConnection) {
  const preset = getPreset(input.preset)
  const { csv, ...settings } = checkConnectionSettings(preset, input.settings ?? {})
  await requireConnectionSlot(ctx)
  const row = await ctx.db
    .insertInto('directory_connections')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      code: input.code ?? toSlug(input.name),
      name: input.name,
      preset: preset.code,
      base_url: chooseBaseUrl(preset, input.baseUrl),
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
  if (!row) throw conflict(`This event already has a directory connection ${input.code ?? toSlug(input.name)}. Pass another code.`)
  const listed = csv === undefined ? row : await attachList(ctx, row, csv)
  recordChange(ctx, { kind: CONNECTION_RECORD.kind, id: row.id, after: toConnectionAuditRecord(listed) })
  return toConnectionResult(ctx, listed)
}

/**
 * Stores the uploaded member list of a new connection. List entries reference the connection, so its row is inserted first. The upload is
 * not audited separately, so that the audit log shows a single creation.
 */
async function attachList(ctx: EventContext, row: ConnectionRow, csv: string): Promise<ConnectionRow> {
  const { settings, sources } = await replaceUploadedList(ctx, row.id, csv)
  return (await editRecord({ db: ctx.db }, CONNECTION_RECORD, row, { settings }, { sources: JSON.stringify(sources) })).row
}

function getPreset(code: string): DirectoryPreset {
  const preset = findPreset(code)
  if (preset) return preset
  const known = DIRECTORY_PRESETS.map((one) => one.code)
  const near = listMostSimilarNames(code, known, 3)
  throw invalidArguments([
    { path: 'preset', message: `unknown preset ${code}; use one of ${known.join(', ')}`, allowed: [...new Set([...near, ...known])] },
  ])
}

function chooseBaseUrl(preset: DirectoryPreset, given: string | undefined): string {
  if (isUploadedList({ preset: preset.code })) {
    if (given === undefined) return ''
    throw invalidArguments([{ path: 'baseUrl', message: 'an uploaded list is stored here and has no address' }])
  }
  const baseUrl = given ?? preset.fixedBaseUrl
  if (baseUrl === undefined) throw invalidArguments([{ path: 'baseUrl', message: `is required: ${preset.baseUrlHint}` }])
  return baseUrl
}

/** Throws if the event has the maximum number of connections. Locks the event, so that concurrent calls cannot exceed the limit. */
async function requireConnectionSlot(ctx: EventContext): Promise<void> {
  await lockEventRow(ctx)
  const { count } = await eventDb(ctx)
    .selectFrom('directory_connections')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= MAX_CONNECTIONS_PER_EVENT) {
    throw new AppError(
      'limit_exceeded',
      `Event ${ctx.event.code} has ${count} directory connections, and ${MAX_CONNECTIONS_PER_EVENT} are the most — delete one first`,
      {
        fix: { tool: 'list_directory_connections', arguments: {}, here: true },
      },
    )
  }
}
