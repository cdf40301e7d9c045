import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { createFile } from '../../files/files.ts'
import type { WrittenReportFile } from './render-run.ts'
import { REPORT_RUN_STATES } from './states.ts'
import type { ReportRunRow } from './tables.ts'

/** The number of days after which report files are deleted. */
export const FILE_LIFETIME_DAYS = 7

/** Stores the file of a report run and finishes the run. Afterwards the run does not change until its file expires. */
export async function finishRun(ctx: EventContext, run: ReportRunRow, { stored, rendered }: WrittenReportFile): Promise<ReportRunRow> {
  const file = await createFile(ctx, stored, { clientId: ctx.client.id, eventId: ctx.event.id, owner: { kind: 'reportRun', id: run.id } })
  return changeRecordState(ctx, REPORT_RUN_STATES, run, 'done', {
    columns: {
      file_id: file.id,
      file_name: file.name,
      bytes: file.size,
      sha256: file.sha256,
      rows: rendered.rows,
      as_of: rendered.asOf,
      contains_personal: rendered.containsPersonal,
      needs: rendered.needs,
      result: JSON.stringify(rendered.result),
      finished_at: sql`lanyard_now()`,
      expires_at: sql`lanyard_now() + make_interval(days => ${FILE_LIFETIME_DAYS})`,
    },
    audited: { rows: rendered.rows, bytes: file.size, sha256: file.sha256, containsPersonal: rendered.containsPersonal },
  })
}
