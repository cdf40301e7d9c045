import { notFound } from '../../kernel/errors.ts'
import type { Answers } from '../registration/answers.ts'
import { answersOf } from '../registration/answers.ts'
import { loadFlowParticipant } from '../registration/flow-participant.ts'
import { editOwnRegistration, type OwnEditResult } from '../registration/edit-own.ts'
import { findAnswerRefusal, findEditRefusal } from '../registration/own-editing.ts'
import { loadOwnRegistration, listShownQuestions, walkFlowFor } from '../registration/own-flow.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import type { AtGroups, GroupRow } from './groups.ts'

/** Somebody of this group. Whoever is not in it is not there. */
export async function getMember(ctx: AtGroups, { id, code }: GroupRow, participantId: string): Promise<ParticipantRow> {
  const row = await getParticipant(ctx, participantId)
  if (row.group_id !== id || row.status === 'cancelled') throw notFound(`No member ${participantId} in group ${code}`)
  return row
}

export interface MemberQuestion {
  binding: string
  required: boolean
}

/**
 * What of a member is for the group to see and correct: names and answers, as their own flow asks them. What is sensitive, their address and
 * their files are between them and the event. None where the time for changes is over, with the reason.
 */
export async function memberQuestions(
  ctx: EventScope,
  row: ParticipantRow,
): Promise<{ questions: MemberQuestion[]; answers: Answers; closed: 'over' | 'noForm' | null }> {
  const { configuration, flow } = await loadOwnRegistration({ ...ctx, person: { participantId: row.id } })
  if (!flow) return { questions: [], answers: {}, closed: 'noForm' }
  if (findEditRefusal(row, flow, configuration.facts) !== null) return { questions: [], answers: {}, closed: 'over' }
  const walk = walkFlowFor(await loadFlowParticipant(ctx, configuration, flow, row))
  const questions = listShownQuestions(configuration.config, flow, walk)
    .filter(({ field, widget }) => !field.sensitive && findAnswerRefusal(row, field, widget, 'group') === null)
    .map(({ field, required }) => ({ binding: field.binding, required }))
  return { questions, answers: answersOf(row), closed: null }
}

/** Corrects a member's names and answers: only those that a group sees. */
export async function editMember(ctx: EventScope, group: GroupRow, participantId: string, data: Answers): Promise<OwnEditResult> {
  const row = await getMember(ctx, group, participantId)
  const asked = new Set((await memberQuestions(ctx, row)).questions.map(({ binding }) => binding))
  const own = Object.fromEntries(Object.entries(data).filter(([binding]) => asked.has(binding)))
  return editOwnRegistration({ ...ctx, person: { participantId: row.id } }, { data: own, by: 'group' })
}
