import type { OrganizerAccess } from '../../kernel/context.ts'
import { permissionsOf } from '../../kernel/permissions.ts'
import type { Pool } from '../../kernel/ports.ts'

export const isClientAdministrator = ({ clients }: OrganizerAccess): boolean =>
  clients.some(({ roles }) => permissionsOf(roles).has('clients.admin'))

/** Operators are the administrators of the first tenant. Administrators of other tenants cannot change the installation's settings. */
export async function isOperator(pool: Pool, { tenantId, access }: { tenantId: number; access: OrganizerAccess }): Promise<boolean> {
  if (!isClientAdministrator(access)) return false
  const { rows } = await pool.query<{ id: number }>('select id from tenants order by created_at, code limit 1')
  return rows[0]!.id === tenantId
}
