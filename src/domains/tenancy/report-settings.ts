import { email, flag, list } from '../../kernel/args.ts'
import type { Db } from '../../kernel/columns.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'

export const ReportSettings = {
  /** Whether whole events may be exported. */
  exportAllowed: flag(),
  /** The external addresses to which reports may be sent. */
  reportRecipients: list(email(), 50),
}

export async function readReportSettings(ctx: { db: Db; tenantId: number; client: { id: string } }) {
  const { export_allowed, report_recipients } = await tenantDb(ctx)
    .selectFrom('clients')
    .select(['export_allowed', 'report_recipients'])
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  return { exportAllowed: export_allowed, reportRecipients: report_recipients }
}
