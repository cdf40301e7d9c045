import { sql } from 'kysely'
import { foldEmailCase } from '../../kernel/email-address.ts'
import type { ExhibitorQueryContext } from '../exhibitors/context.ts'
import type { BlockRequestRow } from './tables.ts'

/** A group or company that a person manages at the event. */
export interface ManagedRequester {
  key: string
  groupId: string | null
  companyId: string | null
  groupCode: string | null
  name: string
  /** The name of the person who manages the group or company. */
  contactName: string
  isTestData: boolean
}

/**
 * Lists the groups and companies that an email address administers. The roles are read on every request, so that a removal takes effect
 * immediately.
 */
export async function listManagedRequesters({ db, tenantId, event }: ExhibitorQueryContext, email: string): Promise<ManagedRequester[]> {
  const { rows } = await sql<ManagedRequester>`
    select 'g-' || g.id as key, g.id as "groupId", null as "companyId", g.code as "groupCode", g.name, a.name as "contactName",
      g.is_test_data as "isTestData"
    from group_admins a
    join managed_groups g on g.tenant_id = a.tenant_id and g.event_id = a.event_id and g.id = a.group_id and g.deleted_at is null
    where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.email_norm = ${foldEmailCase(email)}
    union all
    select distinct on (c.id) 'c-' || c.id, null, c.id, null, c.name, s.name, c.is_test_data
    from exhibitor_staff s
    join companies c on c.tenant_id = s.tenant_id and c.event_id = s.event_id and c.id = s.company_id and c.status <> 'cancelled'
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.email_norm = ${foldEmailCase(email)} and s.role = 'admin'
      and s.status <> 'removed'
    order by name, key`.execute(db)
  return rows
}

/** Finds which of a person's own groups and companies made a room request; null if none of them did. */
export const findRequesterOfBlockRequest = (
  own: readonly ManagedRequester[],
  { group_id, company_id }: BlockRequestRow,
): ManagedRequester | null => own.find(({ groupId, companyId }) => groupId === group_id && companyId === company_id) ?? null

export const toGroupOrCompanyId = ({ groupId, companyId }: ManagedRequester) => (groupId === null ? { companyId: companyId! } : { groupId })
