import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { isLoopback } from '../../../kernel/loopback.ts'
import { permissionsOf, ROLES } from '../../../kernel/permissions.ts'
import { inTurns } from '../../../kernel/turns.ts'
import { isBlocking, type Issue } from '../../configuration/issues.ts'
import { type Configuration, readDraft, readLive } from '../../configuration/read.ts'
import type { Flow, Product } from '../../configuration/schema/event-config.ts'
import { reviewIssues } from '../../configuration/review/issues.ts'
import { keptReview } from '../../configuration/review/kept.ts'
import type { Finding } from '../../configuration/review/scene.ts'
import type { Surroundings } from '../../configuration/validate/surroundings.ts'
import { asVersion } from '../../configuration/versions.ts'
import { latestRehearsals, type LatestRehearsal } from '../../rehearsals/latest.ts'
import { sceneOf } from '../review.ts'
import { allIssues } from '../validate.ts'

/** Everything that setup tasks are judged by, read once. */
export interface SetupScene {
  draft: Configuration
  live: Configuration | null
  issues: readonly Issue[]
  /** What nobody could get past, in any flow. */
  reviewErrors: readonly Finding[]
  /** What publishing would be refused for. */
  blocking: readonly Issue[]
  rehearsed: ReadonlyMap<string, LatestRehearsal>
  /** What people can register through. */
  flows: readonly Flow[]
  /** What those flows offer. */
  offered: readonly Product[]
  connections: Surroundings['connections']
  /** People who may change the configuration. */
  editors: number
  bankDetails: boolean
  /** Mail is kept on this computer and shown, which is enough to try things out. */
  mailStaysHere: boolean
  draftIsLive: boolean
}

export async function setupScene(ctx: EventContext): Promise<SetupScene> {
  const draft = await readDraft(ctx)
  const live = await readLive(ctx, draft)
  const [issues, review] = [await allIssues(ctx, draft), await sceneOf(ctx, draft)]
  const reviewed = await inTurns(keptReview(review))
  const flows = draft.config.flows.filter(({ retired }) => !retired)
  return {
    draft,
    live,
    issues,
    reviewErrors: reviewed.flatMap(({ findings }) => findings.filter(({ level }) => level === 'error')),
    blocking: [...issues, ...reviewIssues(review, reviewed)].filter(isBlocking),
    rehearsed: await latestRehearsals(ctx, draft),
    flows,
    offered: offeredIn(draft, flows),
    connections: review.around.connections,
    ...(await peopleOf(ctx)),
    mailStaysHere: isLoopback(new URL(ctx.baseUrl).hostname),
    draftIsLive: live !== null && live.sha256 === (await asVersion(draft)).sha256,
  }
}

export const widgetsOf = (flows: readonly Flow[]) => flows.flatMap((flow) => flow.pages.flatMap((page) => page.widgets))

function offeredIn({ config }: Configuration, flows: readonly Flow[]): Product[] {
  const widgets = widgetsOf(flows)
  const named = new Set(
    widgets.flatMap((widget) => (widget.type === 'products' ? widget.products : widget.type === 'donation' ? [widget.product] : [])),
  )
  const categories = new Set(widgets.flatMap((widget) => (widget.type === 'products' && widget.category !== null ? [widget.category] : [])))
  return config.products.filter((product) => !product.retired && (named.has(product.code) || categories.has(product.category)))
}

const EDITING_ROLES = ROLES.filter((role) => permissionsOf([role]).has('events.write'))

async function peopleOf(ctx: EventContext): Promise<{ editors: number; bankDetails: boolean }> {
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
