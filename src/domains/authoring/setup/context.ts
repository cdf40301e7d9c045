import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { isLoopback } from '../../../kernel/loopback.ts'
import { permissionsOf, ROLES } from '../../../kernel/permissions.ts'
import { runTaskCooperatively } from '../../../kernel/cooperative.ts'
import { isPublishBlockingIssue, type ConfigIssue } from '../../configuration/issues.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../../configuration/read.ts'
import type { Flow, Product } from '../../configuration/schema/event-config.ts'
import { convertFindingsToIssues } from '../../configuration/review/issues.ts'
import { reviewWithCache } from '../../configuration/review/cached-review.ts'
import type { FlowFinding } from '../../configuration/review/context.ts'
import type { ExternalRecords } from '../../configuration/validate/external-records.ts'
import { toPublishedDocument } from '../../configuration/versions.ts'
import { readLatestRehearsals, type LatestRehearsal } from '../../rehearsals/latest.ts'
import { loadReviewContext } from '../review.ts'
import { listIssues } from '../issues.ts'

/** The event data from which the setup tasks are evaluated, read once. */
export interface SetupContext {
  draft: Configuration
  live: Configuration | null
  issues: readonly ConfigIssue[]
  /** Errors that the flow review found in any flow. */
  reviewErrors: readonly FlowFinding[]
  /** Issues that prevent publishing. */
  blocking: readonly ConfigIssue[]
  rehearsed: ReadonlyMap<string, LatestRehearsal>
  /** Registration flows that are not retired. */
  flows: readonly Flow[]
  /** Products that at least one registration flow offers. */
  offered: readonly Product[]
  connections: ExternalRecords['connections']
  /** Number of users who can edit the configuration. */
  editors: number
  bankDetails: boolean
  /** Whether the event can take card payments: a card processor is connected, or the event uses the sandbox with test cards. */
  takesCards: boolean
  /** Whether emails are stored locally and shown in the console, which is sufficient for a trial installation. */
  emailsStayLocal: boolean
  draftIsLive: boolean
}

export async function loadSetupContext(ctx: EventContext): Promise<SetupContext> {
  const draft = await readDraftConfiguration(ctx)
  const live = await readLiveConfiguration(ctx, draft)
  const [issues, review] = [await listIssues(ctx, draft), await loadReviewContext(ctx, draft)]
  const reviewed = await runTaskCooperatively(reviewWithCache(review))
  const flows = draft.config.flows.filter(({ retired }) => !retired)
  return {
    draft,
    live,
    issues,
    reviewErrors: reviewed.flatMap(({ findings }) => findings.filter(({ level }) => level === 'error')),
    blocking: [...issues, ...convertFindingsToIssues(review, reviewed)].filter(isPublishBlockingIssue),
    rehearsed: await readLatestRehearsals(ctx, draft),
    flows,
    offered: listOfferedProducts(draft, flows),
    connections: review.externalRecords.connections,
    ...(await readClientFacts(ctx)),
    takesCards: ctx.cards.for({ isTestData: ctx.event.sandboxCards ?? false }) !== null,
    emailsStayLocal: isLoopback(new URL(ctx.baseUrl).hostname),
    draftIsLive: live !== null && live.sha256 === (await toPublishedDocument(draft)).sha256,
  }
}

export const listFlowWidgets = (flows: readonly Flow[]) => flows.flatMap((flow) => flow.pages.flatMap((page) => page.widgets))

function listOfferedProducts({ config }: Configuration, flows: readonly Flow[]): Product[] {
  const widgets = listFlowWidgets(flows)
  const named = new Set(
    widgets.flatMap((widget) => (widget.type === 'products' ? widget.products : widget.type === 'donation' ? [widget.product] : [])),
  )
  const categories = new Set(widgets.flatMap((widget) => (widget.type === 'products' && widget.category !== null ? [widget.category] : [])))
  return config.products.filter((product) => !product.retired && (named.has(product.code) || categories.has(product.category)))
}

const EDITING_ROLES = ROLES.filter((role) => permissionsOf([role]).has('events.write'))

async function readClientFacts(ctx: EventContext): Promise<{ editors: number; bankDetails: boolean }> {
  const { rows } = await sql<{ editors: number; bankDetails: boolean }>`
    select
      (select count(distinct u.id)::int from users u
       left join memberships m on m.tenant_id = u.tenant_id and m.user_id = u.id and m.client_id = ${ctx.client.id}
       left join event_staff s on s.tenant_id = u.tenant_id and s.user_id = u.id and s.event_id = ${ctx.event.id}
       where u.tenant_id = ${ctx.tenantId} and u.active
         and (m.role = any(${EDITING_ROLES}) or s.role = any(${EDITING_ROLES}))) as editors,
      (select coalesce(c.billing ->> 'bankDetails', '') <> '' from clients c
       where c.tenant_id = ${ctx.tenantId} and c.id = ${ctx.client.id}) as "bankDetails"`.execute(ctx.db)
  return rows[0]!
}
