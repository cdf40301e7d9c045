import type { EventContext } from '../../kernel/context.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type ConnectionRow, getConnection } from './connections.ts'
import { listRequiredCredentials } from './credential-names.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { type CredentialState, listCredentials } from './credentials.ts'
import { findPreset, resolveConnectionSettings } from './engine/presets.ts'
import { listUsedSettings } from './engine/template.ts'
import { isUploadedList } from './uploaded-lists.ts'

export const describeConnection = async (ctx: EventContext, named: string) => toConnectionResult(ctx, await getConnection(ctx, named))

/**
 * Returns the whole connection for a tool result. The hint (last characters of a secret) is included only with the events.write
 * permission.
 */
export async function toConnectionResult(ctx: EventContext, row: ConnectionRow) {
  const credentials = await listCredentials(ctx, row)
  const writes = ctx.permissions.has('events.write')
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    preset: row.preset,
    baseUrl: row.base_url,
    settings: row.settings,
    auth: { ...row.auth },
    requests: { ...row.requests },
    bindings: row.bindings.map((binding) => ({ ...binding })),
    tagRules: row.tag_rules.map((rule) => ({ ...rule })),
    cacheMinutes: row.cache_minutes,
    timeoutMs: row.timeout_ms,
    onFailure: row.on_failure,
    status: row.status,
    lastTest: row.last_test && { ...row.last_test },
    failures: row.failures,
    credentials: credentials.map(({ hint, ...state }) => omitNulls(writes ? { ...state, hint } : state)),
    missing: listMissingConfiguration(row, credentials),
    revision: row.revision,
    updatedAt: formatInstant(row.updated_at),
  }
}

/** Lists the reasons why the connection is not ready, in the order in which they should be fixed. */
export function listMissingConfiguration(row: ConnectionRow, credentials: readonly Pick<CredentialState, 'name' | 'set'>[]): string[] {
  const settings = resolveConnectionSettings(row)
  const list = isUploadedList(row)
  const used = list || !row.requests.lookup ? [] : listUsedSettings(row.requests.lookup)
  const required =
    findPreset(row.preset)
      ?.settingNames.filter((one) => one.required)
      .map(({ name }) => name) ?? []
  const names = list ? (row.settings.rows ? [] : ['csv']) : [...new Set([...required, ...used])].filter((name) => !settings[name])
  const unset = listRequiredCredentials(row).filter((name) => !credentials.some((one) => one.name === name && one.set))
  return [
    ...(row.status === 'disabled' ? ['enabled: the connection is disabled'] : []),
    ...names.map((name) => `settings/${name}: not set`),
    ...unset.map((name) => `credentials/${name}: not set`),
    ...(list || row.requests.lookup ? [] : ['requests/lookup: not set']),
    ...(row.status === 'draft' ? ['test: not passed since the last change'] : []),
    ...(row.status === 'failing' ? ['lookups: the directory does not respond; one lookup per minute retries'] : []),
  ]
}
