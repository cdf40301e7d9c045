import type { EventFacts } from '../configuration/read.ts'
import type { DataField } from '../configuration/data-fields.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { Widget } from '../configuration/schema/widgets.ts'
import type { ParticipantRow } from './participant-shape.ts'

const EMAIL = '@participant.email'
const NAMES: ReadonlySet<string> = new Set(['@participant.firstName', '@participant.lastName'])

/** Why a registration as a whole is not to be changed by its person any more; null while it is. */
export function refusalOfEdits(
  { status }: Pick<ParticipantRow, 'status'>,
  flow: Flow | null,
  { now }: Pick<EventFacts, 'now'>,
): string | null {
  if (status === 'cancelled') return 'This registration is cancelled: its answers stay as they are'
  if (flow === null) return 'This registration was made by no form that is still there: the organizer changes it'
  const { editUntil } = flow
  return editUntil !== null && now.getTime() >= Date.parse(editUntil) ? `Answers could be changed until ${editUntil}` : null
}

/** Who changes answers: the person, or whoever looks after their group, who may correct a name too. */
export type Editor = 'person' | 'group'

/** Why one answer is changed elsewhere, or by somebody else; null where its person changes it here. */
export function refusalOfAnswer(
  { status }: Pick<ParticipantRow, 'status'>,
  field: DataField,
  widget: Widget | null,
  by: Editor = 'person',
): string | null {
  if (field.binding === EMAIL) return 'sign in with the new address'
  if (NAMES.has(field.binding) && status !== 'incomplete' && by === 'person')
    return 'a name change is a substitution, the organizer makes it'
  if (field.type === 'file') return 'uploaded by the person in the browser'
  return widget?.type === 'field' && widget.readOnly ? 'filled in by the event, and only shown' : null
}
