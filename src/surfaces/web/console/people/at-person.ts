import { resolveParticipant } from '../../../../domains/registration/named-participant.ts'
import type { ParticipantRow } from '../../../../domains/registration/participant-shape.ts'
import { nameOf } from '../../../../domains/registration/participant-shape.ts'
import type { Db } from '../../../../kernel/columns.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { isId } from '../../../../kernel/ids.ts'
import type { Permission } from '../../../../kernel/permissions.ts'
import type { Web, WebContext } from '../../web.ts'
import { type AtEvent, atEvent, EVENT_PATH } from '../event/at-event.ts'

export const PERSON_PATH = `${EVENT_PATH}/participants/:id`

/** One participant of the event in the address. */
export interface AtPerson extends AtEvent {
  row: ParticipantRow
  name: string
  here: string
}

export async function atPerson(web: Web, c: WebContext, see: Permission): Promise<AtPerson> {
  const at = await atEvent(web, c, see)
  const id = c.req.param('id') ?? ''
  // A name or an email is no address of a page: only what links of ours hold is.
  if (!isId(id)) throw notFound('There is no such participant')
  const row = await participantOf(at.reading, id)
  return { ...at, row, name: nameOf(row) || row.email || 'No name yet', here: `${at.base}/participants/${row.id}` }
}

/** The row as a change finds it, test data included. */
export const participantOf = (ctx: EventContext & { db: Db }, id: string): Promise<ParticipantRow> =>
  resolveParticipant(ctx, id, { includeTestData: true })
