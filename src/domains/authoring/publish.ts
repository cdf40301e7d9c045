import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { giveWay, inTurns } from '../../kernel/turns.ts'
import { diffDocuments } from '../configuration/diff/diff.ts'
import { isBlocking, type Issue } from '../configuration/issues.ts'
import { blankDocument, type Configuration, lockDraft, readLive } from '../configuration/read.ts'
import type { ConfigDocument, EventConfig } from '../configuration/schema/event-config.ts'
import { canonicalInParts } from '../configuration/stored.ts'
import { asVersion } from '../configuration/versions.ts'
import { refreshOfferings } from '../exhibitors/offerings.ts'
import { applyCapacities, type TooLow } from '../inventory/capacities.ts'
import { refreshTags } from '../registration/tags.ts'
import { refuseArchived, shownOf } from './edit.ts'
import { fitting } from './told.ts'
import { publishIssues } from './validate.ts'

interface Request {
  note?: string | undefined
  ifRevision?: number | undefined
  acceptWarnings: boolean
}

/** Makes the draft the next version and the live one, in one transaction under the event's lock. */
export async function publishEvent(ctx: EventContext, { note, ifRevision, acceptWarnings }: Request) {
  const draft = await lockDraft(ctx)
  refuseArchived(draft)
  checkRevision({ kind: 'The draft of', name: ctx.event.code, revision: draft.facts.draftRevision }, ifRevision)
  const live = await readLive(ctx, draft)
  await giveWay()
  const { document, sha256 } = await asVersion(draft)
  const previousVersion = draft.facts.publishedVersion
  if (live?.sha256 === sha256) {
    return {
      published: false,
      version: live.version!,
      previousVersion,
      changes: 0,
      ...toldWith(await publishIssues(ctx, draft), effectsOf(null, draft.config)),
    }
  }
  const issues = await publishIssues(ctx, draft)
  refuseIssues(issues, acceptWarnings)

  const version = await insertVersion(ctx, draft, { document, sha256, note })
  await ctx.db
    .updateTable('events')
    .set({ status: 'published', published_version: version, draft_changed: false, ...shownOf(draft.config) })
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.event.id)
    .execute()
  await rebase(ctx, draft, { sha256, version })
  await holdSalesTo(ctx, draft.config)
  await refreshOfferings(ctx, draft.config)
  if (live && givesOtherTags(live.config, draft.config)) await refreshTags(ctx, draft.config, 'all')
  announce(ctx, { kind: 'event.published', entity: 'event', id: ctx.event.id, changed: ['publishedVersion', 'status'], isTestData: false })
  recordChange(ctx, {
    kind: 'event',
    id: ctx.event.id,
    before: { publishedVersion: previousVersion, status: draft.facts.status },
    after: { publishedVersion: version, status: 'published' },
  })
  const changes = await inTurns(diffDocuments(live?.document ?? blankDocument(draft.facts), document))
  return {
    published: true,
    version,
    previousVersion,
    changes: changes.length,
    ...toldWith(issues, effectsOf(live?.config ?? null, draft.config)),
  }
}

/** From now on sales are held to the limits of this version. One that went below what was sold while it was being checked is refused like any other. */
async function holdSalesTo(ctx: EventContext, config: EventConfig): Promise<void> {
  const tooLow = await applyCapacities(ctx, config)
  if (tooLow.length === 0) return
  throw preconditionFailed(`Not published: ${tooLow.map(inWords).join('; ')}`, {
    fix: { tool: 'validate_schema', arguments: {}, here: true },
  })
}

const inWords = ({ key, capacity, held, sold }: TooLow) => `${key} is limited to ${capacity}, but ${sold} are sold and ${held} held`

const givesOtherTags = (live: EventConfig, next: EventConfig) => giving(live) !== giving(next)
const giving = ({ flows, products }: EventConfig) =>
  JSON.stringify([...flows.map(({ slug, addsTags }) => [slug, addsTags]), ...products.map(({ code, addsTags }) => [code, addsTags])])

function toldWith(issues: readonly Issue[], effects: ReturnType<typeof effectsOf>) {
  const { capacitiesChanged, reconsentPolicies, pricesChanged, ...rest } = fitting(
    { ...effects, issues },
    'diff_versions tells all changes, and validate_schema takes a path and levels',
  )
  return { ...rest, effects: { capacitiesChanged, reconsentPolicies, pricesChanged } }
}

function refuseIssues(issues: readonly Issue[], acceptWarnings: boolean): void {
  const open = issues.filter((issue) => isBlocking(issue) || !acceptWarnings)
  if (open.length === 0) return
  const [first] = open as [Issue, ...Issue[]]
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
  const { newest } = await ctx.db
    .selectFrom('config_versions')
    .select((eb) => eb.fn.coalesce(eb.fn.max<number>('number'), eb.val(0)).as('newest'))
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .executeTakeFirstOrThrow()
  const number = newest + 1
  await ctx.db
    .insertInto('config_versions')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      number,
      id: newId(),
      document: sha256 === draft.sha256 ? ofDraft(ctx, sha256) : (await inTurns(canonicalInParts(document))).text,
      sha256,
      note: note ?? null,
      published_by: ctx.actor.id,
      published_by_name: ctx.actor.name,
      app_name: ctx.actor.app.name,
      based_on_version: facts.basedOnVersion,
      restored_from: facts.restoredFrom,
      counts: JSON.stringify(countsOf(config)),
    })
    .execute()
  return number
}

/** As it is stored already: neither sent nor read again. */
const ofDraft = (ctx: EventContext, sha256: string) => sql<string>`
  (select document from config_drafts where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and sha256 = ${sha256})`
const ofVersion = (ctx: EventContext, number: number) => sql<string>`
  (select document from config_versions where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and number = ${number})`

/** The draft goes on from the version that it became, without the translations that it lost. */
async function rebase(ctx: EventContext, draft: Configuration, { sha256, version }: { sha256: string; version: number }): Promise<void> {
  const lost = sha256 === draft.sha256 ? {} : { document: ofVersion(ctx, version), sha256, draft_revision: draft.facts.draftRevision + 1 }
  await ctx.db
    .updateTable('config_drafts')
    .set({ ...lost, based_on_version: version, restored_from: null })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .execute()
}

export const countsOf = (config: EventConfig): Record<string, number> => ({
  flows: config.flows.length,
  pages: config.flows.reduce((n, flow) => n + flow.pages.length, 0),
  widgets: config.flows.reduce((n, flow) => n + flow.pages.reduce((m, page) => m + page.widgets.length, 0), 0),
  products: config.products.length,
  customFields: config.customFields.length,
  policies: config.policies.length,
  emails: config.emails.length,
  locales: Object.keys(config.translations).length,
})

/** What people will notice of a new version. */
function effectsOf(live: EventConfig | null, next: EventConfig) {
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
