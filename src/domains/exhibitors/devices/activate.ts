import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { Context } from '../../../kernel/context.ts'
import { newId } from '../../../kernel/ids.ts'
import { hashToken, newToken, Secret } from '../../../kernel/secrets.ts'
import type { ExhibitorQueryContext } from '../context.ts'

export interface NewDevice {
  companyId: string
  name: string
  platform: string
}

/** The device token is not stored in plain text; the caller shows it once. */
export type ActivationResult = { deviceId: string; deviceToken: Secret } | 'not_licensed' | 'no_seat_left'

/**
 * Assigns one of the company's licensed seats to a scanning device. The trigger `lead_devices_fit` locks the seat counter until the
 * transaction ends, so that concurrent activations cannot exceed the seats.
 */
export async function activateDevice(
  ctx: ExhibitorQueryContext & Pick<Context, 'audit'>,
  { companyId, name, platform }: NewDevice,
): Promise<ActivationResult> {
  const { rows } = await sql<{ seats: number; used: number }>`
    select seats, used from lead_devices_fit(${ctx.tenantId}, ${ctx.event.id}, ${companyId})`.execute(ctx.db)
  const { seats, used } = rows[0]!
  if (seats === 0) return 'not_licensed'
  if (used >= seats) return 'no_seat_left'
  const deviceId = newId()
  const token = newToken('lld_')
  await ctx.db
    .insertInto('lead_devices')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: deviceId,
      company_id: companyId,
      name,
      platform,
      token_hash: hashToken(token),
    })
    .execute()
  recordChange(ctx, { kind: 'leadDevice', id: deviceId, after: { companyId, name, platform } })
  return { deviceId, deviceToken: new Secret(token) }
}
