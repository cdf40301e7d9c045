import { sql } from 'kysely'
import type { ClientContext } from '../../kernel/context.ts'
import { HAS_CLIENT } from './live-grants.ts'

/** Asked after a role was taken away. Whoever took the only one they had is out, and nobody but others can let them in again. */
export async function confirmOwnLastRole(ctx: ClientContext, userId: string): Promise<void> {
  if (userId !== ctx.actor.id) return
  const { rows } = await sql<{ left: boolean }>`select ${sql.raw(HAS_CLIENT)} as "left" from users u where u.id = ${userId}`.execute(ctx.db)
  if (rows[0]?.left) return
  ctx.effects.add('changes', `own last role ${userId}`, { kind: 'own last role', at: ctx.client.code })
  ctx.effects.confirmFirst('This takes away your own last role: all your apps are signed out, and only somebody else can invite you back')
}
