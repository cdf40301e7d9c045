import type { ColumnType, Generated } from 'kysely'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'
import type { BillTo } from '../orders/tables.ts'

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>

export const GROUP_KINDS = ['company', 'delegation', 'school', 'family', 'other'] as const
export const GROUP_ROLES = ['admin', 'leader', 'member'] as const

interface ManagedGroupsTable {
  tenant_id: number
  event_id: string
  id: string
  code: string
  name: string
  kind: (typeof GROUP_KINDS)[number]
  status: Generated<'open' | 'closed'>
  max_members: Optional<number>
  member_count: Kept<number>
  pay_by: 'group' | 'members'
  tags: Generated<string[]>
  flow_slug: string
  bill_to: ColumnType<BillTo, string | undefined, string>
  room_block_id: Optional<string>
  is_test_data: ColumnType<boolean, boolean | undefined, never>
  deleted_at: NullableStamp
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
  searched: Kept<string>
}

interface GroupAdminsTable {
  tenant_id: number
  event_id: string
  group_id: string
  email: string
  email_norm: Kept<string>
  name: string
  last_sign_in_at: NullableStamp
  created_at: Kept<Date>
}

interface GroupInvitesTable {
  tenant_id: number
  event_id: string
  id: string
  group_id: string
  email: string
  email_norm: Kept<string>
  name: Optional<string>
  role: (typeof GROUP_ROLES)[number]
  token_hash: Buffer
  status: Generated<'queued' | 'sent' | 'bounced' | 'accepted' | 'declined' | 'expired' | 'revoked'>
  sent_at: NullableStamp
  sent_count: Generated<number>
  expires_at: ColumnType<Date, Date | string, Date | string>
  participant_id: Optional<string>
  created_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    managed_groups: ManagedGroupsTable
    group_admins: GroupAdminsTable
    group_invites: GroupInvitesTable
  }
}
