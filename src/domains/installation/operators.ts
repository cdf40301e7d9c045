import type { Access } from '../../kernel/context.ts'
import { permissionsOf } from '../../kernel/permissions.ts'
import type { Pool } from '../../kernel/ports.ts'

export const isAdministrator = ({ clients }: Access): boolean => clients.some(({ roles }) => permissionsOf(roles).has('clients.admin'))

/** The installation is run by those it was set up for: administrators of its first tenant. Others who found a home in it can mend none of its settings. */
export async function isOperator(pool: Pool, { tenantId, access }: { tenantId: number; access: Access }): Promise<boolean> {
  if (!isAdministrator(access)) return false
  const { rows } = await pool.query<{ id: number }>('select min(id) as id from tenants')
  return rows[0]!.id === tenantId
}
