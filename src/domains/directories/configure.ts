import { isDeepStrictEqual } from 'node:util'
import type { EventContext } from '../../kernel/context.ts'
import { keepEdit, planEdit, refuseStale } from '../../kernel/edit-record.ts'
import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import type { Reaching } from '../../kernel/tool.ts'
import { checkAddresses, sitesOf } from './addresses.ts'
import { issuesOf } from './bindings.ts'
import { CLOSED_CIRCUIT, CONNECTION, type ConnectionRow, getConnection, lockConnection } from './connections.ts'
import { deleteCredentials } from './credentials.ts'
import { toConnection } from './describe.ts'
import { checkAuth } from './engine/auth.ts'
import { findPreset } from './engine/presets.ts'
import type { DirectoryAuth, DirectoryBinding, DirectoryTagRule } from './engine/spec.ts'
import { CONNECTION_STATES, untested } from './life.ts'
import { dropAnswers } from './lookups.ts'
import { checkSettings } from './settings.ts'
import type { ConnectionStatus, OnFailure } from './tables.ts'
import { isList, replaceList } from './uploaded-lists.ts'
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
export async function checkChangedAddress(ctx: Reaching<EventContext>, edit: Edit): Promise<FieldError[]> {
  const row = await getConnection(ctx, edit.connection)
  if (edit.baseUrl === undefined && edit.settings === undefined && edit.auth === undefined) return []
  const next = addressedBy(row, edit)
  if (isList(row) && (edit.baseUrl !== undefined || edit.auth !== undefined))
    throw invalidArguments([
      { path: edit.auth ? 'auth' : 'baseUrl', message: 'an uploaded list is kept here and has no address to sign in at' },
    ])
  const names = [...Object.keys(next.settings), ...(findPreset(row.preset)?.settingNames.map(({ name }) => name) ?? [])]
  const issues = checkAuth(next.auth, { settings: names }).map((issue) => ({ ...issue, path: `auth/${issue.path}` }))
  if (issues.length > 0) throw invalidArguments(issues)
  return checkAddresses(ctx.fetcher, next)
}

/** Settings are given one by one; an empty one is taken out. */
function addressedBy(row: ConnectionRow, edit: Edit) {
  const { csv: _csv, ...given } = edit.settings ? checkSettings({ ...row, auth: edit.auth ?? row.auth }, edit.settings) : {}
  const settings = Object.fromEntries(Object.entries({ ...row.settings, ...given }).filter(([, value]) => value !== ''))
  return { preset: row.preset, base_url: edit.baseUrl ?? row.base_url, settings, auth: edit.auth ?? row.auth }
}

/** Changes what is given and nothing else, under a lock on the row. */
export async function configureConnection(ctx: EventContext, edit: Edit, unresolved: readonly FieldError[]) {
  const before = await lockConnection(ctx, edit.connection)
  refuseStale(CONNECTION, before, edit.ifRevision)
  const fillable = await fillableAt(ctx)
  const wrong = issuesOf(edit.bindings ?? [], edit.tagRules ?? [], fillable)
  if (wrong.length > 0) throw invalidArguments(wrong)

  const csv = edit.settings?.csv
  const list = csv === undefined ? null : await replaceList(ctx, before.id, csv)
  const settings = list?.settings ?? addressedBy(before, edit).settings
  const planned = planEdit(CONNECTION, before, { ...edit, settings })
  const has = (...fields: string[]) => planned.changed.some((field) => fields.includes(field))
  const readdressed = list !== null || has('baseUrl', 'settings', 'auth')
  const { row, changed } = await keepEdit(ctx, planned, {
    ...(list ? { sources: JSON.stringify(list.sources) } : {}),
    ...statusAfter(before.status, { tested: !readdressed, enabled: edit.enabled }),
  })
  if (movedSecrets(before, row)) await deleteCredentials(ctx, before.id)
  if (readdressed || has('bindings', 'tagRules', 'cacheMinutes')) await dropAnswers(ctx, before.id)
  return { connection: await toConnection(ctx, row), changed, issues: [...unresolved, ...standingIssues(row, fillable)] }
}

/** Secrets were given for one place and one way of signing in; elsewhere they would be given away. */
const movedSecrets = (before: ConnectionRow, after: ConnectionRow): boolean =>
  !isDeepStrictEqual(sitesOf(before), sitesOf(after)) || !isDeepStrictEqual(before.auth, after.auth)

/** What was not tested is a draft again, unless it is switched off. */
export function statusAfter(before: ConnectionStatus, { tested, enabled }: { tested: boolean; enabled?: boolean | undefined }) {
  const status = nextStatus(before, tested, enabled === (before !== 'disabled') ? undefined : enabled)
  return status === before ? {} : { status, ...CLOSED_CIRCUIT }
}

function nextStatus(status: ConnectionStatus, tested: boolean, enabled: boolean | undefined): ConnectionStatus {
  if (enabled === false) return CONNECTION_STATES.move(status, 'disabled')
  if (enabled === true) return CONNECTION_STATES.move(status, 'draft')
  return tested ? status : untested(status)
}

/** What a preset brought along and the event does not have yet is no mistake of this edit, but has no effect until it is mended. */
const standingIssues = (row: ConnectionRow, fillable: Fillable) =>
  issuesOf(row.bindings, row.tag_rules, fillable).map(({ path, message }) => ({ path, message }))
