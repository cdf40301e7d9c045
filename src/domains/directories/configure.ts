import { isDeepStrictEqual } from 'node:util'
import type { EventContext } from '../../kernel/context.ts'
import { saveEdit, planEdit, rejectStaleEdit } from '../../kernel/records.ts'
import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import type { PrefetchContext } from '../../kernel/tool.ts'
import { checkDirectoryUrls, listOriginsReceivingSecrets } from './addresses.ts'
import { checkConnectionFieldMappings } from './bindings.ts'
import { CIRCUIT_BREAKER_RESET_COLUMNS, CONNECTION_RECORD, type ConnectionRow, getConnection, lockConnection } from './connections.ts'
import { deleteCredentials } from './credentials.ts'
import { toConnectionResult } from './describe.ts'
import { checkAuthSettings } from './engine/auth.ts'
import { findPreset } from './engine/presets.ts'
import type { DirectoryAuth, DirectoryFieldMapping, DirectoryTagRule } from './engine/spec.ts'
import { CONNECTION_STATES, getStatusAfterConnectionEdit } from './state-machine.ts'
import { deleteCachedLookupResults } from './lookups.ts'
import { checkConnectionSettings } from './settings.ts'
import type { ConnectionStatus, LookupFailurePolicy } from './tables.ts'
import { isUploadedList, replaceUploadedList } from './uploaded-lists.ts'
import { type FieldsFilledByDirectory, readFieldsFilledByDirectory } from './connection-uses.ts'

interface ConnectionEdit {
  connection: string
  name?: string | undefined
  baseUrl?: string | undefined
  settings?: Record<string, string> | undefined
  enabled?: boolean | undefined
  onFailure?: LookupFailurePolicy | undefined
  cacheMinutes?: number | undefined
  timeoutMs?: number | undefined
  auth?: DirectoryAuth | undefined
  bindings?: DirectoryFieldMapping[] | undefined
  tagRules?: DirectoryTagRule[] | undefined
  ifRevision?: number | undefined
}

/** Checks the new URL in an edit of a directory connection. Runs before the transaction, because resolving host names may take long. */
export async function checkChangedConnectionUrl(ctx: PrefetchContext<EventContext>, edit: ConnectionEdit): Promise<FieldError[]> {
  const row = await getConnection(ctx, edit.connection)
  if (edit.baseUrl === undefined && edit.settings === undefined && edit.auth === undefined) return []
  const next = applyAddressEdit(row, edit)
  if (isUploadedList(row) && (edit.baseUrl !== undefined || edit.auth !== undefined))
    throw invalidArguments([
      { path: edit.auth ? 'auth' : 'baseUrl', message: 'an uploaded list is stored here and has no address or sign-in' },
    ])
  const names = [...Object.keys(next.settings), ...(findPreset(row.preset)?.settingNames.map(({ name }) => name) ?? [])]
  const issues = checkAuthSettings(next.auth, { settings: names }).map((issue) => ({ ...issue, path: `auth/${issue.path}` }))
  if (issues.length > 0) throw invalidArguments(issues)
  return checkDirectoryUrls(ctx.fetcher, next)
}

/** Merges the settings in an edit into those of the connection. An empty value removes a setting. */
function applyAddressEdit(row: ConnectionRow, edit: ConnectionEdit) {
  const { csv: _csv, ...given } = edit.settings ? checkConnectionSettings({ ...row, auth: edit.auth ?? row.auth }, edit.settings) : {}
  const settings = Object.fromEntries(Object.entries({ ...row.settings, ...given }).filter(([, value]) => value !== ''))
  return { preset: row.preset, base_url: edit.baseUrl ?? row.base_url, settings, auth: edit.auth ?? row.auth }
}

export async function configureConnection(ctx: EventContext, edit: ConnectionEdit, unresolved: readonly FieldError[]) {
  const before = await lockConnection(ctx, edit.connection)
  rejectStaleEdit(CONNECTION_RECORD, before, edit.ifRevision)
  const fillable = await readFieldsFilledByDirectory(ctx)
  const wrong = checkConnectionFieldMappings(edit.bindings ?? [], edit.tagRules ?? [], fillable)
  if (wrong.length > 0) throw invalidArguments(wrong)

  const csv = edit.settings?.csv
  const list = csv === undefined ? null : await replaceUploadedList(ctx, before.id, csv)
  const settings = list?.settings ?? applyAddressEdit(before, edit).settings
  const planned = planEdit(CONNECTION_RECORD, before, { ...edit, settings })
  const has = (...fields: string[]) => planned.changed.some((field) => fields.includes(field))
  const readdressed = list !== null || has('baseUrl', 'settings', 'auth')
  const { row, changed } = await saveEdit(ctx, planned, {
    ...(list ? { sources: JSON.stringify(list.sources) } : {}),
    ...resolveStatusAfterEdit(before.status, { tested: !readdressed, enabled: edit.enabled }),
  })
  if (invalidatesCredentials(before, row)) await deleteCredentials(ctx, before.id)
  if (readdressed || has('bindings', 'tagRules', 'cacheMinutes')) await deleteCachedLookupResults(ctx, before.id)
  return { connection: await toConnectionResult(ctx, row), changed, issues: [...unresolved, ...listBindingIssues(row, fillable)] }
}

/**
 * Whether an edit requires the secrets of the connection to be deleted, which must never be sent to another origin or with another auth
 * method than those they were entered for.
 */
const invalidatesCredentials = (before: ConnectionRow, after: ConnectionRow): boolean =>
  !isDeepStrictEqual(listOriginsReceivingSecrets(before), listOriginsReceivingSecrets(after)) || !isDeepStrictEqual(before.auth, after.auth)

/** Returns the status after an edit. A connection that must be tested again becomes a draft, unless it is disabled. */
export function resolveStatusAfterEdit(before: ConnectionStatus, { tested, enabled }: { tested: boolean; enabled?: boolean | undefined }) {
  const status = nextStatus(before, tested, enabled === (before !== 'disabled') ? undefined : enabled)
  return status === before ? {} : { status, ...CIRCUIT_BREAKER_RESET_COLUMNS }
}

function nextStatus(status: ConnectionStatus, tested: boolean, enabled: boolean | undefined): ConnectionStatus {
  if (enabled === false) return CONNECTION_STATES.move(status, 'disabled')
  if (enabled === true) return CONNECTION_STATES.move(status, 'draft')
  return tested ? status : getStatusAfterConnectionEdit(status)
}

/**
 * The bindings (mappings of directory values to fields) of a preset may refer to fields or tags that the event does not have yet. These are
 * returned as issues and do not fail the edit.
 */
const listBindingIssues = (row: ConnectionRow, fillable: FieldsFilledByDirectory) =>
  checkConnectionFieldMappings(row.bindings, row.tag_rules, fillable).map(({ path, message }) => ({ path, message }))
