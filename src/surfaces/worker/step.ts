import { readHeads } from '../../domains/tenancy/heads.ts'
import type { WorkContext, WorkScope } from '../../kernel/background.ts'
import type { Db } from '../../kernel/columns.ts'
import type { AccountContext, ClientAccess, EventHead } from '../../kernel/context.ts'
import { changeWithin, transactInTime } from '../../kernel/keep-change.ts'
import { newContext } from '../../kernel/new-context.ts'
import { permissionsOf, type Role } from '../../kernel/permissions.ts'
import type { Road } from '../road.ts'

/** Background work as its row tells it: what it is, where it acts and who asked for it. */
export interface Work {
  name: string
  tenantId: number
  clientId: string | null
  eventId: string | null
  startedBy: { id: string; name: string }
}

/** One transaction: the step runs, and what it changed is written down, or nothing of it happened. */
export function keepStep<Scope extends WorkScope, T>(road: Road, work: Work, run: (ctx: WorkContext<Scope>) => Promise<T>): Promise<T> {
  return transactInTime(road.database, work.name, async (db) => {
    const ctx = await contextOn(db, road, work)
    return changeWithin({ name: work.name, clientId: ctx.client?.id, eventId: work.eventId }, ctx, (given) =>
      run(given as WorkContext<Scope>),
    )
  })
}

/** Whether it may be done was decided when it was asked for, so work holds every permission where it acts, and is nowhere else. */
const ROLES: readonly Role[] = ['admin']

/** What a call at the same place would be given, read anew with every step. */
async function contextOn(db: Db, road: Road, work: Work): Promise<AccountContext & { client?: ClientAccess; event?: EventHead }> {
  const { tenantCode, client, event } = await readHeads(db, work)
  const here = client ? { ...client, roles: ROLES } : null
  const acting = {
    tenantId: work.tenantId,
    tenantCode,
    actor: { kind: 'job' as const, ...work.startedBy, app: { id: null, name: 'job' } },
    cursorScope: `${work.startedBy.id}|${work.name}`,
  }
  return {
    ...newContext(road, acting, db),
    access: { clients: here ? [here] : [], staff: [] },
    ...(here ? { client: here, permissions: permissionsOf(ROLES) } : {}),
    ...(event ? { event } : {}),
  }
}
