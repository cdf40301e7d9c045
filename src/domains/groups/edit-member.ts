import { notFound } from '../../kernel/errors.ts'
import type { Answers } from '../registration/answers.ts'
import { readStoredAnswers } from '../registration/answers.ts'
import { loadFlowParticipant } from '../registration/flows/flow-participant.ts'
import { editOwnRegistration, type OwnRegistrationEditResult } from '../registration/own/edit-own.ts'
import { findAnswerEditRefusalReason, findEditRefusalReason } from '../registration/own/own-editing.ts'
import { loadOwnRegistration, listShownQuestions, evaluateParticipantFlow } from '../registration/own/own-flow.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { GroupScope, GroupRow } from './groups.ts'

/** Returns a member of a group. Throws `not_found` for a participant who is not in the group. */
export async function getMember(ctx: GroupScope, { id, code }: GroupRow, participantId: string): Promise<ParticipantRow> {
  const row = await getParticipant(ctx, participantId)
  if (row.group_id !== id || row.status === 'cancelled') throw notFound(`No member ${participantId} in group ${code}`)
  return row
}

export interface MemberQuestion {
  binding: string
  required: boolean
}

/**
 * Lists the questions about a member that a group's managers may see and correct, as the member's flow asks them. Sensitive answers, the
 * email address and files are excluded. After the deadline for changes the list is empty and `closed` has the reason.
 */
export async function listMemberQuestions(
  ctx: RegistrationContext,
  row: ParticipantRow,
): Promise<{ questions: MemberQuestion[]; answers: Answers; closed: 'over' | 'noForm' | null }> {
  const { configuration, flow } = await loadOwnRegistration({ ...ctx, person: { participantId: row.id } })
  if (!flow) return { questions: [], answers: {}, closed: 'noForm' }
  if (findEditRefusalReason(row, flow, configuration.facts) !== null) return { questions: [], answers: {}, closed: 'over' }
  const walk = evaluateParticipantFlow(await loadFlowParticipant(ctx, configuration, flow, row))
  const questions = listShownQuestions(configuration.config, flow, walk)
    .filter(({ field, widget }) => !field.sensitive && findAnswerEditRefusalReason(row, field, widget, 'group') === null)
    .map(({ field, required }) => ({ binding: field.binding, required }))
  return { questions, answers: readStoredAnswers(row), closed: null }
}

/** Corrects a member's names and answers. Questions that managers may not see are ignored. */
export async function editMember(
  ctx: RegistrationContext,
  group: GroupRow,
  participantId: string,
  data: Answers,
): Promise<OwnRegistrationEditResult> {
  const row = await getMember(ctx, group, participantId)
  const visibleBindings = new Set((await listMemberQuestions(ctx, row)).questions.map(({ binding }) => binding))
  const own = Object.fromEntries(Object.entries(data).filter(([binding]) => visibleBindings.has(binding)))
  return editOwnRegistration({ ...ctx, person: { participantId: row.id } }, { data: own, by: 'group' })
}
