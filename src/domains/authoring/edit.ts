import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { hashCanonicalJson } from '../../kernel/canonical.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { yieldToEventLoop, runTaskCooperatively } from '../../kernel/cooperative.ts'
import { type Change, diffDocuments } from '../configuration/diff/diff.ts'
import type { ConfigIssue } from '../configuration/issues.ts'
import { type Configuration, cacheDraftConfiguration, lockDraftConfiguration } from '../configuration/read.ts'
import type { ConfigDocument, EventConfig } from '../configuration/schema/event-config.ts'
import { canonicalizeInParts, toStoredDocument } from '../configuration/stored.ts'
import { checkInParts } from '../configuration/structure.ts'
import { addTranslationSourceHashes } from '../configuration/texts.ts'
import { findAmountIssues } from '../configuration/validate/rules.ts'
import { toPublishedDocument } from '../configuration/versions.ts'
import { listIssues } from './issues.ts'
import { updateEventRow } from '../tenancy/lock-event.ts'

export interface ConfigDraftEdit {
  tool: string
  /** The arguments of the edit, for the history of the draft. */
  operations: unknown
  note?: string | undefined
  ifRevision?: number | undefined
  /** Number of the published version that replaces the draft, if the edit restores one. */
  restoredFrom?: number | undefined
}

export interface ConfigDraftEditResult {
  before: Configuration
  after: Configuration
  changes: Change[]
  draftRevision: number
  /** All issues after the edit, the issues that the edit introduced, and the issues that it resolved. */
  issues: ConfigIssue[]
  introduced: ConfigIssue[]
  resolved: ConfigIssue[]
}

/**
 * Changes the draft; all other code changes drafts through this function. Runs under the event's lock, so that no concurrent edit is lost,
 * and saves everything or nothing. Structural errors reject the edit; other issues are saved and returned. `change` receives the current
 * draft and returns the new document.
 */
export async function editConfigDraft(
  ctx: EventContext,
  edit: ConfigDraftEdit,
  change: (draft: Configuration) => ConfigDocument | Promise<ConfigDocument>,
): Promise<ConfigDraftEditResult> {
  const before = await lockDraftConfiguration(ctx)
  rejectArchivedEvent(before)
  checkRevision({ kind: 'The draft of', name: ctx.event.code, revision: before.facts.draftRevision }, edit.ifRevision)
  const changed = await change(before)
  await yieldToEventLoop()
  const sourced = addTranslationSourceHashes(changed)
  await yieldToEventLoop()
  const document = toStoredDocument(sourced)
  const changes = await runTaskCooperatively(diffDocuments(before.document, document))
  if (changes.length === 0) {
    const issues = await listIssues(ctx, before)
    return { before, after: before, changes, draftRevision: before.facts.draftRevision, issues, introduced: [], resolved: [] }
  }
  await yieldToEventLoop()
  const { text, sha256 } = await runTaskCooperatively(canonicalizeInParts(document))
  const config = await getCheckedConfig(document, text, before)
  const after = { ...before, document, config, sha256, facts: { ...before.facts, draftRevision: before.facts.draftRevision + 1 } }
  cacheDraftConfiguration(ctx.event.id, sha256, after, text.length)
  await save(ctx, edit, { ...after, text }, changes)
  await recordConfigChanges(ctx, changes)
  const [was, is] = [await listIssues(ctx, before), await listIssues(ctx, after)]
  return {
    before,
    after,
    changes,
    draftRevision: after.facts.draftRevision,
    issues: is,
    introduced: subtractIssues(is, was),
    resolved: subtractIssues(was, is),
  }
}

export function rejectArchivedEvent({ facts }: Configuration): void {
  if (facts.status === 'archived') throw preconditionFailed(`${facts.name} is archived and can no longer be changed`)
}

async function getCheckedConfig(document: ConfigDocument, text: string, { facts }: Configuration): Promise<EventConfig> {
  const result = await runTaskCooperatively(checkInParts(document, text))
  const issues = result.ok ? findAmountIssues(document, facts) : result.issues
  if (issues.length > 0) throw invalidArguments(issues.slice(0, 50).map(({ path, message }) => ({ path: path || '/', message })))
  return (result as { value: EventConfig }).value
}

const keyOf = ({ level, code, path, message }: ConfigIssue) => `${level}|${code}|${path}|${message}`

function subtractIssues(issues: readonly ConfigIssue[], others: readonly ConfigIssue[]): ConfigIssue[] {
  const known = new Set(others.map(keyOf))
  return issues.filter((issue) => !known.has(keyOf(issue)))
}

async function save(
  ctx: EventContext,
  edit: ConfigDraftEdit,
  { text, document, facts, config, sha256 }: Configuration & { sha256: string; text: string },
  changes: readonly Change[],
): Promise<void> {
  const row = {
    document: text,
    sha256,
    draft_revision: facts.draftRevision,
    updated_by: ctx.actor.id,
    updated_by_name: ctx.actor.name,
    restored_from: edit.restoredFrom ?? facts.restoredFrom,
  }
  await ctx.db
    .insertInto('config_drafts')
    .values({ ...row, tenant_id: ctx.tenantId, event_id: ctx.event.id, based_on_version: facts.basedOnVersion })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'event_id']).doUpdateSet((eb) => ({
        // Takes the document from `excluded` (the row to insert), so that the large document is sent to the database only once.
        document: eb.ref('excluded.document'),
        sha256: eb.ref('excluded.sha256'),
        draft_revision: eb.ref('excluded.draft_revision'),
        updated_by: eb.ref('excluded.updated_by'),
        updated_by_name: eb.ref('excluded.updated_by_name'),
        restored_from: eb.ref('excluded.restored_from'),
        updated_at: eb.fn<Date>('lanyard_now'),
      })),
    )
    .execute()
  await ctx.db
    .insertInto('config_changes')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      draft_revision: facts.draftRevision,
      tool: edit.tool,
      operations: JSON.stringify(edit.operations),
      changes: JSON.stringify(changes.map(({ path, kind, before, after, from, to }) => ({ path, kind, before, after, from, to }))),
      note: edit.note ?? null,
      actor_id: ctx.actor.id,
      actor_name: ctx.actor.name,
      app_name: ctx.actor.app.name,
    })
    .execute()
  const version = await toPublishedDocument({ document, sha256 })
  await updateEventRow(ctx, {
    draft_changed: sql<boolean>`not exists (select from config_versions v where v.tenant_id = events.tenant_id and v.event_id = events.id
        and v.number = events.published_version and v.sha256 = ${version.sha256})`,
    ...(facts.publishedVersion === null ? toEventColumns(config) : {}),
  })
}

/** Returns the columns of the event row that repeat details of the configuration. Before the first publish they come from the draft. */
export const toEventColumns = ({ details }: EventConfig) => ({
  name: details.name,
  starts_on: details.startsOn,
  ends_on: details.endsOn,
  city: details.venue?.city ?? null,
  country: details.venue?.country ?? null,
})

const MAX_SHOWN = 500
const MAX_FIELDS = 200

const truncateValue = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  return text === undefined || text.length <= MAX_SHOWN
    ? value
    : { cut: text.slice(0, MAX_SHOWN), sha256: hashCanonicalJson(value).toString('hex') }
}

/** Returns a digest of the changed values. If a concurrent edit changed them, the confirmation no longer matches. */
const digestValues = ({ before, after, from, to }: Change) => hashCanonicalJson([before, after, from, to]).toString('base64url')

/** Records the changes for the audit log and for the confirmation step, because removed or overwritten draft values cannot be restored. */
async function recordConfigChanges(ctx: EventContext, changes: readonly Change[]): Promise<void> {
  const recorded = changes.slice(0, MAX_FIELDS)
  const more = changes.length > recorded.length ? { more: `${changes.length - recorded.length} more changes` } : {}
  recordChange(ctx, {
    kind: 'configuration',
    id: ctx.event.id,
    before: Object.fromEntries(
      recorded.map((one) => [one.path, one.kind === 'moved' || one.kind === 'renamed' ? (one.from ?? null) : truncateValue(one.before)]),
    ),
    after: {
      ...Object.fromEntries(
        recorded.map((one) => [one.path, one.kind === 'moved' || one.kind === 'renamed' ? (one.to ?? one.path) : truncateValue(one.after)]),
      ),
      ...more,
    },
  })
  for (const change of changes) {
    await yieldToEventLoop()
    const { kind, path, title } = change
    ctx.effects.add(kind === 'removed' ? 'deletes' : 'changes', `${kind} ${path} ${digestValues(change)}`, { path, kind, title })
  }
}
