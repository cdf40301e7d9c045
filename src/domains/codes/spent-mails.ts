import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { isOnItsWay } from '../messages/on-its-way.ts'

/** A code and its link are a secret until they are good for nothing; then nothing is left that tells them. What is still on its way is emptied later. */
const empty = (db: Db, which: RawBuilder<unknown>) =>
  sql`
    update messages set text_body = '', html_body = null from one_time_codes c
    where ${which} and c.code_hash is null and c.link_hash is null
      and messages.tenant_id = c.tenant_id and source_kind = 'oneTimeCode' and source_id = c.id and resend_of is null
      and text_body <> '' and not ${isOnItsWay}`.execute(db)

export async function emptySpentMails(db: Db, tenantId: number, codes: readonly { id: string }[]): Promise<void> {
  if (codes.length > 0) await empty(db, sql`c.tenant_id = ${tenantId} and c.id = any(${codes.map(({ id }) => id)})`)
}

/** Of codes that nobody ever came back for, and of those whose mail was on its way when they were used. */
export async function emptyEverySpentMail(db: Db): Promise<void> {
  await empty(db, sql`true`)
}
