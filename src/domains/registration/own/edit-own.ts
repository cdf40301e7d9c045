import { z } from 'zod'
import { count, list, oneOf, text } from '../../../kernel/args.ts'
import { recordChange } from '../../../kernel/audit.ts'
import { toCanonicalJson } from '../../../kernel/canonical.ts'
import { conflict, preconditionFailed } from '../../../kernel/errors.ts'
import { checkRevision } from '../../../kernel/revisions.ts'
import { listParticipantDataFields } from '../../configuration/data-fields.ts'
import { isAnswerAboutParticipant } from '../../configuration/field-descriptors.ts'
import type { FlowEvaluation } from '../../configuration/flow/walk.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import { toParticipantIdentity } from '../add.ts'
import { type Answers, readStoredAnswers, toParticipantAnswerColumns } from '../answers.ts'
import { type FlowParticipant, loadFlowParticipant } from '../flows/flow-participant.ts'
import { getQuestionLabel } from '../missing-fields.ts'
import { ParticipantAnswerError, normalizeAssistantAnswers } from './own-answers.ts'
import { type AnswerEditorRole, findAnswerEditRefusalReason, findEditRefusalReason } from './own-editing.ts'
import {
  type OwnRegistrationContext,
  MissingAnswers,
  findOwnMissingAnswers,
  loadOwnRegistration,
  listShownQuestions,
  evaluateParticipantFlow,
} from './own-flow.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { findConflictingRegistration, updateParticipant } from '../participant-rows.ts'

export const OwnRegistrationEditResult = {
  status: oneOf(['updated', 'unchanged', 'validation_failed']),
  changed: list(text()),
  errors: list(ParticipantAnswerError),
  missing: MissingAnswers,
  revision: count(1, 2_147_483_647),
}

export type OwnRegistrationEditResult = z.input<z.ZodObject<typeof OwnRegistrationEditResult>>
type Person = FlowParticipant & { participant: ParticipantRow }

/** Edits the participant's own answers, all or none of them. Prices, products and accepted policies do not change. */
export async function editOwnRegistration(
  ctx: OwnRegistrationContext,
  { data, ifRevision, by = 'person' }: { data: Answers; ifRevision?: number | undefined; by?: AnswerEditorRole },
): Promise<OwnRegistrationEditResult> {
  const { configuration, row, flow } = await loadOwnRegistration(ctx)
  checkRevision({ kind: 'The registration', name: row.id, revision: row.revision }, ifRevision)
  const refusal = findEditRefusalReason(row, flow, configuration.facts)
  if (refusal !== null || flow === null) throw preconditionFailed(refusal!)
  const before = await loadFlowParticipant(ctx, configuration, flow, row)
  const walkBefore = evaluateParticipantFlow(before)
  const { answers, errors } = readEdit(before, flow, data, by)
  const after: Person = { ...before, answers: { ...before.answers, ...answers } }
  const walkAfter = evaluateParticipantFlow(after)
  const problems = [...errors, ...findHiddenAnswers(after, walkAfter, answers), ...findClearedRequired(after, walkAfter, answers)]
  const asIs = { missing: findOwnMissingAnswers(before, walkBefore), revision: row.revision }
  if (problems.length > 0) return { status: 'validation_failed', changed: [], errors: problems, ...asIs }

  const stored = readStoredAnswers(row)
  const requested = { ...answers, ...clearNewlyHidden(stored, walkBefore, walkAfter) }
  const nextAnswers = { ...stored, ...requested }
  const changed = Object.keys(requested).filter(
    (binding) => toCanonicalJson(nextAnswers[binding] ?? null) !== toCanonicalJson(stored[binding] ?? null),
  )
  if (changed.length === 0) return { status: 'unchanged', changed, errors: [], ...asIs }
  await assertNoDuplicate(ctx, row, nextAnswers)
  const updated = await updateParticipant(ctx, row, toParticipantAnswerColumns(nextAnswers))
  recordChange(ctx, { kind: 'participant', id: row.id, before: stored, after: readStoredAnswers(updated) })
  const person = { ...after, participant: updated, answers: { ...before.answers, ...nextAnswers } }
  return {
    status: 'updated',
    changed,
    errors: [],
    missing: findOwnMissingAnswers(person, evaluateParticipantFlow(person)),
    revision: updated.revision,
  }
}

/** Normalizes the answers and returns an error for each field that the participant cannot change here. */
function readEdit({ configuration, answers: previous, participant }: Person, flow: Flow, data: Answers, by: AnswerEditorRole) {
  const { config } = configuration
  const fields = new Map(listParticipantDataFields(config).map((field) => [field.binding, field]))
  const refused = Object.keys(data).flatMap((binding): ParticipantAnswerError[] => {
    const field = fields.get(binding)
    const message = field ? findAnswerEditRefusalReason(participant, field, null, by) : null
    return message === null ? [] : [{ binding, code: 'not_here', message }]
  })
  const elsewhere = new Set(refused.map(({ binding }) => binding))
  const own = Object.fromEntries(Object.entries(data).filter(([binding]) => !elsewhere.has(binding)))
  const { answers, errors } = normalizeAssistantAnswers({ configuration, flow, previous }, own)
  return { answers, errors: [...refused, ...errors] }
}

/** Lists answers to fields that are not shown to the participant, which cannot be set but can be cleared. */
function findHiddenAnswers({ configuration: { config }, flow }: Person, walk: FlowEvaluation, answers: Answers): ParticipantAnswerError[] {
  const shown = new Set(listShownQuestions(config, flow, walk).map(({ field }) => field.binding))
  return Object.entries(answers)
    .filter(([binding, value]) => value !== null && !shown.has(binding))
    .map(([binding]) => ({ binding, code: 'not_here', message: `is not shown to this participant in the flow ${flow.slug}` }))
}

const NAME_BINDINGS = ['@participant.firstName', '@participant.lastName']

/**
 * Lists required answers that the edit would clear. A finished registration must keep its required answers; an unfinished one only needs
 * the name.
 */
function findClearedRequired(
  { configuration: { config }, participant }: Person,
  walk: FlowEvaluation,
  answers: Answers,
): ParticipantAnswerError[] {
  const needed = participant.status === 'incomplete' ? NAME_BINDINGS : walk.missing.map(({ binding }) => binding)
  return Object.entries(answers)
    .filter(([binding, value]) => value === null && needed.includes(binding))
    .map(([binding]) => ({ binding, code: 'required', message: `${getQuestionLabel(config, binding)} is required` }))
}

/** Clears the answers to questions that this edit hides. */
const clearNewlyHidden = (stored: Answers, before: FlowEvaluation, after: FlowEvaluation): Record<string, null> =>
  Object.fromEntries(
    Object.keys(stored)
      .filter((binding) => isAnswerAboutParticipant(binding) && before.answer(binding) !== undefined && after.answer(binding) === undefined)
      .map((binding) => [binding, null]),
  )

async function assertNoDuplicate(ctx: OwnRegistrationContext, row: ParticipantRow, answers: Answers): Promise<void> {
  if (await findConflictingRegistration(ctx, row, toParticipantIdentity(answers, null)))
    throw conflict('Another registration has this name and email address.')
}
