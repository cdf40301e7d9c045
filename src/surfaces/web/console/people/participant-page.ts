import { resolveParticipant } from '../../../../domains/registration/find/resolve-participant.ts'
import type { ParticipantRow } from '../../../../domains/registration/participant-shape.ts'
import { formatParticipantName } from '../../../../domains/registration/participant-shape.ts'
import type { Db } from '../../../../kernel/columns.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { isId } from '../../../../kernel/ids.ts'
import type { Permission } from '../../../../kernel/permissions.ts'
import type { WebServices, WebContext } from '../../web.ts'
import { type EventPageContext, getEventPageContext, CONSOLE_EVENT_PATH } from '../event/event-page.ts'

export const CONSOLE_PARTICIPANT_PATH = `${CONSOLE_EVENT_PATH}/participants/:id`

/** The participant and event that the URL of the page names. */
export interface ParticipantPageContext extends EventPageContext {
  row: ParticipantRow
  name: string
  here: string
}

export async function getParticipantPageContext(web: WebServices, c: WebContext, see: Permission): Promise<ParticipantPageContext> {
  const at = await getEventPageContext(web, c, see)
  const id = c.req.param('id') ?? ''
  // Only ids are accepted in URLs, not names or email addresses.
  if (!isId(id)) throw notFound('This participant does not exist')
  const row = await getParticipantRow(at.reading, id)
  return { ...at, row, name: formatParticipantName(row) || row.email || 'No name yet', here: `${at.base}/participants/${row.id}` }
}

/** Finds the participant's row by id, including test data. */
export const getParticipantRow = (ctx: EventContext & { db: Db }, id: string): Promise<ParticipantRow> =>
  resolveParticipant(ctx, id, { includeTestData: true })
