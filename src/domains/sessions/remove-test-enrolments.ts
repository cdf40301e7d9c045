import type { EventScope } from '../../kernel/scoped-db.ts'
import { deleteTestRows } from '../../kernel/test-data.ts'

export async function removeTestEnrolments(ctx: EventScope, participantIds: readonly string[]): Promise<void> {
  await deleteTestRows(ctx, 'session_enrolments', 'participant_id', participantIds)
}
