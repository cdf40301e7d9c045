import { readJobTenantAndEvent } from '../../domains/tenancy/job-heads.ts'
import type { BackgroundWorkContext, BackgroundWorkScope } from '../../kernel/background.ts'
import type { Db } from '../../kernel/columns.ts'
import type { AccountContext, ClientAccess, EventSummaryRow } from '../../kernel/context.ts'
import { applyChangeInTransaction, commitThenRunDeferredWork } from '../../kernel/commit-change.ts'
import { newContext } from '../../kernel/new-context.ts'
import { permissionsOf, type Role } from '../../kernel/permissions.ts'
import type { AppServices } from '../services.ts'

/** A background job or task as stored in its row: its name, its client or event, and the user who started it. */
export interface BackgroundWork {
  name: string
  tenantId: number
  clientId: string | null
  eventId: string | null
  startedBy: { id: string; name: string }
}

/** Runs one step of a background job in a transaction, with an audit entry and the announcements for webhooks. */
export function runBackgroundJobStep<Scope extends BackgroundWorkScope, T>(
  services: AppServices,
  work: BackgroundWork,
  run: (ctx: BackgroundWorkContext<Scope>) => Promise<T>,
): Promise<T> {
  return commitThenRunDeferredWork(
    services.database,
    work,
    (db) => buildContext(db, services, work),
    (ctx) =>
      applyChangeInTransaction({ name: work.name, clientId: ctx.client?.id, eventId: work.eventId }, ctx, (given) =>
        run(given as BackgroundWorkContext<Scope>),
      ),
  )
}

/**
 * The roles of background work. It has all permissions for its own client or event and none elsewhere, because the user's permissions were
 * checked when the work was requested.
 */
const ROLES: readonly Role[] = ['admin']

/** Builds the same context as for a tool call at this client or event. Client and event are read again for every step. */
async function buildContext(
  db: Db,
  services: AppServices,
  work: BackgroundWork,
): Promise<AccountContext & { client?: ClientAccess; event?: EventSummaryRow }> {
  const { tenantCode, client, event } = await readJobTenantAndEvent(db, work)
  const here = client ? { ...client, roles: ROLES } : null
  const acting = {
    tenantId: work.tenantId,
    tenantCode,
    actor: { kind: 'job' as const, ...work.startedBy, app: { id: null, name: 'job' } },
    cursorScope: `${work.startedBy.id}|${work.name}`,
  }
  return {
    ...newContext(services, acting, db),
    access: { clients: here ? [here] : [], staff: [] },
    ...(here ? { client: here, permissions: permissionsOf(ROLES) } : {}),
    ...(event ? { event } : {}),
  }
}
