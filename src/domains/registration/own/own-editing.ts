import type { EventConfigFacts } from '../../configuration/read.ts'
import type { DataField } from '../../configuration/data-fields.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { Widget } from '../../configuration/schema/widgets.ts'
import type { ParticipantRow } from '../participant-shape.ts'

const EMAIL = '@participant.email'
const NAME_BINDINGS: ReadonlySet<string> = new Set(['@participant.firstName', '@participant.lastName'])

/** Returns why the participant can no longer edit the registration; null if they can. */
export function findEditRefusalReason(
  { status }: Pick<ParticipantRow, 'status'>,
  flow: Flow | null,
  { now }: Pick<EventConfigFacts, 'now'>,
): string | null {
  if (status === 'cancelled') return 'This registration is cancelled. Its answers cannot be changed.'
  if (flow === null) return 'The form of this registration no longer exists. Ask the organizer to change it.'
  const { editUntil } = flow
  return editUntil !== null && now.getTime() >= Date.parse(editUntil) ? `Answers could be changed until ${editUntil}` : null
}

/** The role of the user who edits the answers. Group managers, unlike participants, may correct a name. */
export type AnswerEditorRole = 'person' | 'group'

/** Returns why the user cannot edit the answer; null if the user can edit it. */
export function findAnswerEditRefusalReason(
  { status }: Pick<ParticipantRow, 'status'>,
  field: DataField,
  widget: Widget | null,
  by: AnswerEditorRole = 'person',
): string | null {
  if (field.binding === EMAIL) return 'sign in with the new address'
  if (NAME_BINDINGS.has(field.binding) && status !== 'incomplete' && by === 'person')
    return 'a name change is a substitution, the organizer makes it'
  if (field.type === 'file') return 'uploaded by the person in the browser'
  return widget?.type === 'field' && widget.readOnly ? 'filled in by the event and read-only' : null
}
