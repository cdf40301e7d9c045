import { sql } from 'kysely'
import type { ClientContext } from '../../kernel/context.ts'
import { USER_HAS_ROLE_SQL } from './live-grants.ts'

/** Asks for confirmation if organizers remove their own last role, because only another administrator can restore it. */
export async function confirmOwnLastRoleRemoval(ctx: ClientContext, userId: string): Promise<void> {
  if (userId !== ctx.actor.id) return
  const { rows } = await sql<{
    left: boolean
  }>`select ${sql.raw(USER_HAS_ROLE_SQL)} as "left" from users u where u.id = ${userId}`.execute(ctx.db)
  if (rows[0]?.left) return
  ctx.effects.add('changes', `own last role ${userId}`, { kind: 'own last role', at: ctx.client.code })
  ctx.effects.requireConfirmation(
    'This removes your own last role: all your apps are signed out, and only another administrator can invite you back',
  )
}
