import { sql } from 'kysely'

/** SQL condition for emails that may still be sent, whose content must be kept. */
export const isPendingEmailSql = sql<boolean>`status in ('queued', 'claimed', 'handed', 'held')`
