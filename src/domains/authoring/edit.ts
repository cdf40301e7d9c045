import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { digestOf } from '../../kernel/canonical.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { giveWay, inTurns } from '../../kernel/turns.ts'
import { type Change, diffDocuments } from '../configuration/diff/diff.ts'
import type { Issue } from '../configuration/issues.ts'
import { type Configuration, expectDraft, lockDraft } from '../configuration/read.ts'
import type { ConfigDocument, EventConfig } from '../configuration/schema/event-config.ts'
import { canonicalInParts, storedDocument } from '../configuration/stored.ts'
import { checkInParts } from '../configuration/structure.ts'
import { withSources } from '../configuration/texts.ts'
import { amountIssues } from '../configuration/validate/rules.ts'
import { asVersion } from '../configuration/versions.ts'
import { allIssues } from './validate.ts'

export interface Edit {
  tool: string
  /** What was asked, for the history of the draft. */
  operations: unknown
  note?: string | undefined
  ifRevision?: number | undefined
  /** The version that the draft now repeats. */
  restoredFrom?: number | undefined
}

export interface Edited {
  before: Configuration
  after: Configuration
  changes: Change[]
  draftRevision: number
  /** All that is wrong now; of them, what this edit brought; and what it mended. */
  issues: Issue[]
  introduced: Issue[]
  resolved: Issue[]
}

/**
 * The only way a draft changes: under the lock of its event, so that two edits at once both survive; whole or not at all; refused when the
 * structure would break, saved with its issues otherwise. `change` is given the draft as it is and returns the document as it should be.
 */
export async function editDraft(
  ctx: EventContext,
  edit: Edit,
  change: (draft: Configuration) => ConfigDocument | Promise<ConfigDocument>,
): Promise<Edited> {
  const before = await lockDraft(ctx)
  refuseArchived(before)
  checkRevision({ kind: 'The draft of', name: ctx.event.code, revision: before.facts.draftRevision }, edit.ifRevision)
  const changed = await change(before)
  await giveWay()
  const sourced = withSources(changed)
  await giveWay()
  const document = storedDocument(sourced)
  const changes = await inTurns(diffDocuments(before.document, document))
  if (changes.length === 0) {
    const issues = await allIssues(ctx, before)
    return { before, after: before, changes, draftRevision: before.facts.draftRevision, issues, introduced: [], resolved: [] }
  }
  await giveWay()
  const { text, sha256 } = await inTurns(canonicalInParts(document))
  const config = await checked(document, text, before)
  const after = { ...before, document, config, sha256, facts: { ...before.facts, draftRevision: before.facts.draftRevision + 1 } }
  expectDraft(ctx.event.id, sha256, after, text.length)
  await save(ctx, edit, { ...after, text }, changes)
  await noteChanges(ctx, changes)
  const [was, is] = [await allIssues(ctx, before), await allIssues(ctx, after)]
  return {
    before,
    after,
    changes,
    draftRevision: after.facts.draftRevision,
    issues: is,
    introduced: without(is, was),
    resolved: without(was, is),
  }
}

export function refuseArchived({ facts }: Configuration): void {
  if (facts.status === 'archived') throw preconditionFailed(`${facts.name} is archived and cannot be changed any more`)
}

async function checked(document: ConfigDocument, text: string, { facts }: Configuration): Promise<EventConfig> {
  const result = await inTurns(checkInParts(document, text))
  const issues = result.ok ? amountIssues(document, facts) : result.issues
  if (issues.length > 0) throw invalidArguments(issues.slice(0, 50).map(({ path, message }) => ({ path: path || '/', message })))
  return (result as { value: EventConfig }).value
}

const keyOf = ({ level, code, path, message }: Issue) => `${level}|${code}|${path}|${message}`

function without(issues: readonly Issue[], others: readonly Issue[]): Issue[] {
  const known = new Set(others.map(keyOf))
  return issues.filter((issue) => !known.has(keyOf(issue)))
}

async function save(
  ctx: EventContext,
  edit: Edit,
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
        // The document is large: it is sent once.
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
  const version = await asVersion({ document, sha256 })
  await ctx.db
    .updateTable('events')
    .set({
      draft_changed: sql<boolean>`not exists (select from config_versions v where v.tenant_id = events.tenant_id and v.event_id = events.id
        and v.number = events.published_version and v.sha256 = ${version.sha256})`,
      ...(facts.publishedVersion === null ? shownOf(config) : {}),
    })
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.event.id)
    .execute()
}

/** What the event itself repeats of its details. Before the first publish the draft is all there is to show. */
export const shownOf = ({ details }: EventConfig) => ({
  name: details.name,
  starts_on: details.startsOn,
  ends_on: details.endsOn,
  city: details.venue?.city ?? null,
  country: details.venue?.country ?? null,
})

const MAX_SHOWN = 500
const MAX_FIELDS = 200

const shown = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  return text === undefined || text.length <= MAX_SHOWN ? value : { cut: text.slice(0, MAX_SHOWN), sha256: digestOf(value).toString('hex') }
}

/** Whoever confirms has seen these values: when another edit put others in their place, it is another change. */
const valuesIn = ({ before, after, from, to }: Change) => digestOf([before, after, from, to]).toString('base64url')

/** For the audit log, and for the confirm step: what is removed or overwritten in a draft cannot be brought back. */
async function noteChanges(ctx: EventContext, changes: readonly Change[]): Promise<void> {
  const told = changes.slice(0, MAX_FIELDS)
  const more = changes.length > told.length ? { more: `${changes.length - told.length} more changes` } : {}
  recordChange(ctx, {
    kind: 'configuration',
    id: ctx.event.id,
    before: Object.fromEntries(
      told.map((one) => [one.path, one.kind === 'moved' || one.kind === 'renamed' ? (one.from ?? null) : shown(one.before)]),
    ),
    after: {
      ...Object.fromEntries(
        told.map((one) => [one.path, one.kind === 'moved' || one.kind === 'renamed' ? (one.to ?? one.path) : shown(one.after)]),
      ),
      ...more,
    },
  })
  for (const change of changes) {
    await giveWay()
    const { kind, path, title } = change
    ctx.effects.add(kind === 'removed' ? 'deletes' : 'changes', `${kind} ${path} ${valuesIn(change)}`, { path, kind, title })
  }
}
