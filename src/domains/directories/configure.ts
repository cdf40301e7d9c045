import { isDeepStrictEqual } from 'node:util'
import type { Updateable } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import type { Reaching } from '../../kernel/tool.ts'
import { checkAddresses, sitesOf } from './addresses.ts'
import { issuesOf } from './bindings.ts'
import { type ConnectionRow, getConnection, lockConnection } from './connections.ts'
import { deleteCredentials } from './credentials.ts'
import { toConnection } from './describe.ts'
import { checkAuth } from './engine/auth.ts'
import { findPreset } from './engine/presets.ts'
import type { DirectoryAuth, DirectoryBinding, DirectoryTagRule } from './engine/spec.ts'
import { CONNECTION_STATES, untested } from './life.ts'
import { dropAnswers } from './lookups.ts'
import { checkSettings } from './settings.ts'
import type { ConnectionsTable, ConnectionStatus, OnFailure } from './tables.ts'
import { isList, keepList } from './uploaded-lists.ts'
import { type Fillable, fillableAt } from './use-in-events.ts'

interface Edit {
  connection: string
  name?: string | undefined
  baseUrl?: string | undefined
  settings?: Record<string, string> | undefined
  enabled?: boolean | undefined
  onFailure?: OnFailure | undefined
  cacheMinutes?: number | undefined
  timeoutMs?: number | undefined
  auth?: DirectoryAuth | undefined
  bindings?: DirectoryBinding[] | undefined
  tagRules?: DirectoryTagRule[] | undefined
  ifRevision?: number | undefined
}

/** Before the transaction: names are looked up, which may take a while. */
export async function checkChangedAddress(ctx: Reaching<EventContext>, edit: Edit): Promise<void> {
  const row = await getConnection(ctx, edit.connection)
  if (edit.baseUrl === undefined && edit.settings === undefined && edit.auth === undefined) return
  const next = addressedBy(row, edit)
  if (isList(row) && (edit.baseUrl !== undefined || edit.auth !== undefined))
    throw invalidArguments([
      { path: edit.auth ? 'auth' : 'baseUrl', message: 'an uploaded list is kept here and has no address to sign in at' },
    ])
  const names = [...Object.keys(next.settings), ...(findPreset(row.preset)?.settingNames.map(({ name }) => name) ?? [])]
  const issues = checkAuth(next.auth, { settings: names }).map((issue) => ({ ...issue, path: `auth/${issue.path}` }))
  if (issues.length > 0) throw invalidArguments(issues)
  await checkAddresses(ctx.fetcher, next)
}

/** Settings are given one by one; an empty one is taken out. */
function addressedBy(row: ConnectionRow, edit: Edit) {
  const { csv: _csv, ...given } = edit.settings ? checkSettings({ ...row, auth: edit.auth ?? row.auth }, edit.settings) : {}
  const settings = Object.fromEntries(Object.entries({ ...row.settings, ...given }).filter(([, value]) => value !== ''))
  return { preset: row.preset, base_url: edit.baseUrl ?? row.base_url, settings, auth: edit.auth ?? row.auth }
}

/** Changes what is given and nothing else, under a lock on the row. */
export async function configureConnection(ctx: EventContext, edit: Edit) {
  const before = await lockConnection(ctx, edit.connection)
  checkRevision({ kind: 'Directory connection', name: before.code, revision: before.revision }, edit.ifRevision)
  const fillable = await fillableAt(ctx)
  const wrong = issuesOf(edit.bindings ?? [], edit.tagRules ?? [], fillable)
  if (wrong.length > 0) throw invalidArguments(wrong)

  const { columns, readdressed } = changesOf(before, edit)
  const switched = edit.enabled === undefined || edit.enabled === (before.status !== 'disabled') ? {} : { enabled: edit.enabled }
  const csv = edit.settings?.csv
  let after = before
  if (Object.keys(columns).length > 0 || 'enabled' in switched)
    after = await saveEdit(ctx, before, columns, { tested: !readdressed, ...switched })
  if (csv !== undefined) after = await keepList(ctx, after, csv)
  const changed = recordChange(ctx, { kind: 'directory connection', id: before.id, before: editable(before), after: editable(after) })
  if (movedSecrets(before, after)) await deleteCredentials(ctx, before.id)
  const staleBy = ['bindings', 'tag_rules', 'cache_minutes'].some((column) => column in columns)
  if (readdressed || staleBy || csv !== undefined) await dropAnswers(ctx, before.id)
  return { connection: await toConnection(ctx, after), changed, issues: standingIssues(after, fillable) }
}

function changesOf(before: ConnectionRow, edit: Edit): { columns: Updateable<ConnectionsTable>; readdressed: boolean } {
  const { preset: _preset, ...addressed } = addressedBy(before, edit)
  const wanted: Partial<ConnectionRow> = {
    ...addressed,
    name: edit.name ?? before.name,
    on_failure: edit.onFailure ?? before.on_failure,
    cache_minutes: edit.cacheMinutes ?? before.cache_minutes,
    timeout_ms: edit.timeoutMs ?? before.timeout_ms,
    bindings: edit.bindings ?? before.bindings,
    tag_rules: edit.tagRules ?? before.tag_rules,
  }
  const differing = Object.entries(wanted).filter(
    ([column, value]) => !isDeepStrictEqual(kept(value), before[column as keyof ConnectionRow]),
  )
  const columns = Object.fromEntries(differing.map(([column, value]) => [column, DOCUMENTS.has(column) ? JSON.stringify(value) : value]))
  return { columns, readdressed: ['base_url', 'settings', 'auth'].some((column) => column in columns) }
}

const DOCUMENTS = new Set(['settings', 'auth', 'bindings', 'tag_rules'])

/** As it comes back from the database, where nothing is undefined. */
const kept = (value: unknown): unknown => (typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value)

/** Secrets were given for one place and one way of signing in; elsewhere they would be given away. */
const movedSecrets = (before: ConnectionRow, after: ConnectionRow): boolean =>
  !isDeepStrictEqual(sitesOf(before), sitesOf(after)) || !isDeepStrictEqual(before.auth, after.auth)

/** Writes columns of a locked row. What was not tested is a draft again, unless it is switched off. */
export async function saveEdit(
  ctx: EventContext,
  before: ConnectionRow,
  columns: Updateable<ConnectionsTable>,
  { tested, enabled }: { tested: boolean; enabled?: boolean },
): Promise<ConnectionRow> {
  const status = statusAfter(before.status, tested, enabled)
  const moved = status === before.status ? {} : { status, failures: 0, opened_at: null, next_try_at: null }
  return ctx.db
    .updateTable('directory_connections')
    .set({ ...columns, ...moved })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

function statusAfter(status: ConnectionStatus, tested: boolean, enabled: boolean | undefined): ConnectionStatus {
  if (enabled === false) return CONNECTION_STATES.move(status, 'disabled')
  if (enabled === true) return CONNECTION_STATES.move(status, 'draft')
  return tested ? status : untested(status)
}

/** What an edit may touch, under the names callers know. */
export const editable = (row: ConnectionRow) => ({
  code: row.code,
  name: row.name,
  preset: row.preset,
  baseUrl: row.base_url,
  settings: row.settings,
  auth: row.auth,
  bindings: row.bindings,
  tagRules: row.tag_rules,
  cacheMinutes: row.cache_minutes,
  timeoutMs: row.timeout_ms,
  onFailure: row.on_failure,
  status: row.status,
})

/** What a preset brought along and the event does not have yet is no mistake of this edit, but has no effect until it is mended. */
const standingIssues = (row: ConnectionRow, fillable: Fillable) =>
  issuesOf(row.bindings, row.tag_rules, fillable).map(({ path, message }) => ({ path, message }))
