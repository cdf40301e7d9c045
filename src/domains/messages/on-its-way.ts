import { sql } from 'kysely'

/** Of a mail that may still go out nothing can be taken away. */
export const isOnItsWay = sql<boolean>`status in ('queued', 'claimed', 'handed', 'held')`
