import type { EventContext } from '../../kernel/context.ts'
import { toInstant } from '../../kernel/time.ts'
import { type ConnectionRow, getConnection } from './connections.ts'
import { credentialsNeededBy } from './credential-names.ts'
import { type CredentialState, listCredentials } from './credentials.ts'
import { findPreset, settingsOf } from './engine/presets.ts'
import { settingsUsed } from './engine/template.ts'
import { isList } from './uploaded-lists.ts'

export const describeConnection = async (ctx: EventContext, named: string) => toConnection(ctx, await getConnection(ctx, named))

/** The whole record. Of a secret it tells that it is set, and to those who may change it also its last characters. */
export async function toConnection(ctx: EventContext, row: ConnectionRow) {
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
    credentials: credentials.map(({ hint, ...state }) => (writes ? { ...state, hint } : state)),
    missing: missingOf(row, credentials),
    revision: row.revision,
    updatedAt: toInstant(row.updated_at),
  }
}

/** What keeps it from being ready, in the order to mend it. */
export function missingOf(row: ConnectionRow, credentials: readonly Pick<CredentialState, 'name' | 'set'>[]): string[] {
  const settings = settingsOf(row)
  const list = isList(row)
  const used = list || !row.requests.lookup ? [] : settingsUsed(row.requests.lookup)
  const required =
    findPreset(row.preset)
      ?.settingNames.filter((one) => one.required)
      .map(({ name }) => name) ?? []
  const names = list ? (row.settings.rows ? [] : ['csv']) : [...new Set([...required, ...used])].filter((name) => !settings[name])
  const unset = credentialsNeededBy(row).filter((name) => !credentials.some((one) => one.name === name && one.set))
  return [
    ...(row.status === 'disabled' ? ['enabled: it is switched off'] : []),
    ...names.map((name) => `settings/${name}: not set`),
    ...unset.map((name) => `credentials/${name}: not set`),
    ...(list || row.requests.lookup ? [] : ['requests/lookup: not set']),
    ...(row.status === 'draft' ? ['test: not passed since the last change'] : []),
    ...(row.status === 'failing' ? ['lookups: the directory does not answer; one in a minute tries again'] : []),
  ]
}
