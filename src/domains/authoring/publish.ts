import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { yieldToEventLoop, runTaskCooperatively } from '../../kernel/cooperative.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { diffDocuments } from '../configuration/diff/diff.ts'
import { isPublishBlockingIssue, type ConfigIssue } from '../configuration/issues.ts'
import { createBlankConfigDocument, type Configuration, lockDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import type { ConfigDocument, EventConfig } from '../configuration/schema/event-config.ts'
import { canonicalizeInParts } from '../configuration/stored.ts'
import { toPublishedDocument } from '../configuration/versions.ts'
import { regenerateAppointmentSlots } from '../exhibitors/offerings.ts'
import { applyCapacities, type UnappliedCapacity } from '../inventory/capacities.ts'
import { recalculateTags } from '../registration/tags.ts'
import { rejectArchivedEvent, toEventColumns } from './edit.ts'
import { truncateLists } from './truncate-lists.ts'
import { listPublishIssues } from './issues.ts'
import { updateEventRow, changeEventStatus } from '../tenancy/lock-event.ts'
import { buildEventPageUrls } from '../tenancy/public-pages.ts'

interface Request {
  note?: string | undefined
  ifRevision?: number | undefined
  acceptWarnings: boolean
}

/** Publishes the draft as the next version, in one transaction under the event's lock. */
export async function publishEvent(ctx: EventContext, { note, ifRevision, acceptWarnings }: Request) {
  const draft = await lockDraftConfiguration(ctx)
  rejectArchivedEvent(draft)
  checkRevision({ kind: 'The draft of', name: ctx.event.code, revision: draft.facts.draftRevision }, ifRevision)
  const live = await readLiveConfiguration(ctx, draft)
  await yieldToEventLoop()
  const { document, sha256 } = await toPublishedDocument(draft)
  const previousVersion = draft.facts.publishedVersion
  const url = buildEventPageUrls(ctx).home
  if (live?.sha256 === sha256) {
    return {
      published: false,
      version: live.version!,
      previousVersion,
      changes: 0,
      url,
      ...toPublishResult(await listPublishIssues(ctx, draft), describeEffects(null, draft.config)),
    }
  }
  const issues = await listPublishIssues(ctx, draft)
  refuseIssues(issues, acceptWarnings)

  const version = await insertVersion(ctx, draft, { document, sha256, note })
  await changeEventStatus(ctx, 'published')
  await updateEventRow(ctx, { published_version: version, draft_changed: false, ...toEventColumns(draft.config) })
  await rebaseDraft(ctx, draft, { sha256, version })
  await applyCapacityLimits(ctx, draft.config)
  await regenerateAppointmentSlots(ctx, draft.config)
  if (live && changesTags(live.config, draft.config)) await recalculateTags(ctx, draft.config, 'all')
  announceToWebhooks(ctx, {
    kind: 'event.published',
    entity: 'event',
    id: ctx.event.id,
    changed: ['publishedVersion', 'status'],
    isTestData: false,
  })
  recordChange(ctx, {
    kind: 'event',
    id: ctx.event.id,
    before: { publishedVersion: previousVersion, status: draft.facts.status },
    after: { publishedVersion: version, status: 'published' },
  })
  const changes = await runTaskCooperatively(diffDocuments(live?.document ?? createBlankConfigDocument(draft.facts), document))
  return {
    published: true,
    version,
    previousVersion,
    changes: changes.length,
    url,
    ...toPublishResult(issues, describeEffects(live?.config ?? null, draft.config)),
  }
}

/** Applies the capacity limits of this version to sales. Throws if concurrent sales have exceeded a new limit in the meantime. */
async function applyCapacityLimits(ctx: EventContext, config: EventConfig): Promise<void> {
  const tooLow = await applyCapacities(ctx, config)
  if (tooLow.length === 0) return
  throw preconditionFailed(`Not published: ${tooLow.map(describeLimit).join('; ')}`, {
    fix: { tool: 'validate_schema', arguments: {}, here: true },
  })
}

const describeLimit = ({ key, capacity, held, sold }: UnappliedCapacity) =>
  `${key} is limited to ${capacity}, but ${sold} are sold and ${held} held`

const changesTags = (live: EventConfig, next: EventConfig) => tagRulesKey(live) !== tagRulesKey(next)
const tagRulesKey = ({ flows, products }: EventConfig) =>
  JSON.stringify([...flows.map(({ slug, addsTags }) => [slug, addsTags]), ...products.map(({ code, addsTags }) => [code, addsTags])])

function toPublishResult(issues: readonly ConfigIssue[], effects: ReturnType<typeof describeEffects>) {
  const { capacitiesChanged, reconsentPolicies, pricesChanged, ...rest } = truncateLists(
    { ...effects, issues },
    'diff_versions shows all changes, and validate_schema accepts a path and levels',
  )
  return { ...rest, effects: { capacitiesChanged, reconsentPolicies, pricesChanged } }
}

function refuseIssues(issues: readonly ConfigIssue[], acceptWarnings: boolean): void {
  const open = issues.filter((issue) => isPublishBlockingIssue(issue) || !acceptWarnings)
  if (open.length === 0) return
  const [first] = open as [ConfigIssue, ...ConfigIssue[]]
  const rest = open.length > 1 ? ` and ${open.length - 1} more` : ''
  throw preconditionFailed(`Not published: ${first.path || 'the configuration'}: ${first.message}${rest}`, {
    fields: open.slice(0, 50).map(({ path, message }) => ({ path: path || '/', message })),
    fix: { tool: 'validate_schema', arguments: {}, here: true },
  })
}

async function insertVersion(
  ctx: EventContext,
  draft: Configuration,
  { document, sha256, note }: { document: ConfigDocument; sha256: string; note: string | undefined },
): Promise<number> {
  const { config, facts } = draft
  const { newest } = await eventDb(ctx)
    .selectFrom('config_versions')
    .select((eb) => eb.fn.coalesce(eb.fn.max<number>('number'), eb.val(0)).as('newest'))
    .executeTakeFirstOrThrow()
  const number = newest + 1
  await ctx.db
    .insertInto('config_versions')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      number,
      id: newId(),
      document: sha256 === draft.sha256 ? draftDocument(ctx, sha256) : (await runTaskCooperatively(canonicalizeInParts(document))).text,
      sha256,
      note: note ?? null,
      published_by: ctx.actor.id,
      published_by_name: ctx.actor.name,
      app_name: ctx.actor.app.name,
      based_on_version: facts.basedOnVersion,
      restored_from: facts.restoredFrom,
      counts: JSON.stringify(countConfigItems(config)),
    })
    .execute()
  return number
}

/** Selects the draft configuration within the database, so that it is not transferred again. */
const draftDocument = (ctx: EventContext, sha256: string) => sql<string>`
  (select document from config_drafts where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and sha256 = ${sha256})`
const versionDocument = (ctx: EventContext, number: number) => sql<string>`
  (select document from config_versions where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and number = ${number})`

/**
 * Marks the draft as based on the newly published version, and removes orphaned translations (whose source text no longer exists) from
 * it.
 */
async function rebaseDraft(
  ctx: EventContext,
  draft: Configuration,
  { sha256, version }: { sha256: string; version: number },
): Promise<void> {
  const lost =
    sha256 === draft.sha256 ? {} : { document: versionDocument(ctx, version), sha256, draft_revision: draft.facts.draftRevision + 1 }
  await eventDb(ctx)
    .updateTable('config_drafts')
    .set({ ...lost, based_on_version: version, restored_from: null })
    .execute()
}

export const countConfigItems = (config: EventConfig): Record<string, number> => ({
  flows: config.flows.length,
  pages: config.flows.reduce((n, flow) => n + flow.pages.length, 0),
  widgets: config.flows.reduce((n, flow) => n + flow.pages.reduce((m, page) => m + page.widgets.length, 0), 0),
  products: config.products.length,
  customFields: config.customFields.length,
  policies: config.policies.length,
  emails: config.emails.length,
  locales: Object.keys(config.translations).length,
})

/** Describes the effects of a new version on participants. */
function describeEffects(live: EventConfig | null, next: EventConfig) {
  const kept = <T extends { code: string }>(before: readonly T[], after: readonly T[]) => {
    const byCode = new Map(before.map((item) => [item.code, item]))
    return after.flatMap((item) => {
      const earlier = byCode.get(item.code)
      return earlier ? [[earlier, item] as const] : []
    })
  }
  const products = live ? kept(live.products, next.products) : []
  const policies = live ? kept(live.policies, next.policies) : []
  return {
    capacitiesChanged: products.filter(([a, b]) => a.capacity !== b.capacity).map(([, { code }]) => code),
    reconsentPolicies: policies.filter(([a, b]) => a.body !== b.body).map(([, { code }]) => code),
    pricesChanged: products.filter(([a, b]) => JSON.stringify(a.prices) !== JSON.stringify(b.prices)).map(([, { code }]) => code),
  }
}
